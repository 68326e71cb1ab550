/**
 * What a run does about its children (D9). A child is started only once its parent's log names it: a parent that is
 * cancelled or taken over, at whatever moment, leaves no orphan behind.
 */
import { InputError, RunNotFoundError, StopError, type Json, type RunError } from "@runledger/contracts";
import { pathOf, type Command, type EventDraft, type RunState } from "@runledger/core";
import { childRunId } from "./children.js";
import type { ChildOutcome, EngineParts } from "./engine-parts.js";
import type { Attempt } from "./in-flight.js";
import { insist } from "./patience.js";
import type { RunFacts } from "./run-facts.js";
import { FatalStepError, toRunError } from "./step-errors.js";
import { stepFailed } from "./step-failed.js";
import { scopeOf } from "./step-scope.js";

const CANCELLED: RunError = { code: "CANCELLED", message: "It was stopped.", retryable: false };

type AwaitChild = Extract<Command, { readonly type: "awaitChild" }>;

export class ChildWork {
  readonly #facts: RunFacts;
  readonly #parts: EngineParts;
  /** What the closures of children that are still to be started have said; asked again where another worker did. */
  readonly #inputs = new Map<string, Json | undefined>();
  /** Children that were looked at since somebody last woke the run. */
  readonly #lookedAt = new Set<string>();
  /** Children that this worker has asked the store to start. */
  readonly #asked = new Set<string>();
  readonly #toCancel = new Set<string>();
  readonly #told = new Set<string>();

  constructor(facts: RunFacts, parts: EngineParts) {
    this.#facts = facts;
    this.#parts = parts;
  }

  /** The id that the child will have. It is on record before there is a child. */
  async announce(child: Attempt & { readonly input: Json | undefined }): Promise<string> {
    const id = childRunId(this.#facts.runId, child);
    this.#inputs.set(id, child.input);
    return id;
  }

  lookAgain(): void {
    this.#lookedAt.clear();
  }

  cancel(id: string): void {
    this.#toCancel.add(id);
  }

  isWorthALook(id: string): boolean {
    return !this.#lookedAt.has(id) || (this.#toCancel.has(id) && !this.#told.has(id));
  }

  /** Sees to it that the child is there, or is told to stop; and whether it has ended. */
  async look(command: AwaitChild, state: RunState, signal: AbortSignal): Promise<readonly EventDraft[]> {
    const { childRunId: id } = command;
    this.#lookedAt.add(id);
    try {
      return await insist(this.#parts.timers, signal, async () => {
        if (this.#toCancel.has(id)) await this.#tell(id);
        return this.#goOn(command, state, await this.#parts.children.outcome(id));
      });
    } catch (error) {
      if (!(error instanceof InputError || error instanceof FatalStepError)) throw error;
      return [stepFailed(this.#facts, state, command, { ...toRunError(error), retryable: false })];
    }
  }

  async #goOn(command: AwaitChild, state: RunState, outcome: ChildOutcome): Promise<readonly EventDraft[]> {
    const { stepId, attempt, childRunId: id } = command;
    const stopping = this.#toCancel.has(id);
    if (outcome === "running") return [];
    if (outcome === "absent") {
      // A start of our own that got no answer may still arrive: then the child is started, and cancelled.
      if (stopping && !this.#asked.has(id)) return [stepFailed(this.#facts, state, command, CANCELLED)];
      await this.#start(command, state);
      return [];
    }
    if ("output" in outcome) return [{ eventType: "StepCompleted", stepId, attempt, data: { output: outcome.output } }];
    const error = { code: "CHILD_FAILED", message: outcome.message, retryable: !stopping };
    return [stepFailed(this.#facts, state, command, error)];
  }

  async #tell(id: string): Promise<void> {
    try {
      await this.#parts.children.cancel(id);
    } catch (error) {
      if (!(error instanceof RunNotFoundError)) throw error;
      if (this.#asked.has(id)) return; // to be told once it is there
    }
    this.#told.add(id);
  }

  async #start({ stepId, attempt, childRunId: id }: AwaitChild, state: RunState): Promise<void> {
    const path = pathOf(stepId);
    const input = this.#inputs.has(id) ? this.#inputs.get(id) : await this.#ask(stepId, path, state);
    const { tenantId, projectId, environmentId, priority } = state.details;
    const place = {
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(environmentId === undefined ? {} : { environmentId }),
      ...(priority === undefined ? {} : { priority }),
    };
    this.#asked.add(id);
    try {
      await this.#parts.children.start(this.#facts, { stepId, attempt, path, input, place });
      this.#inputs.delete(id);
    } catch (error) {
      if (!(error instanceof StopError && error.code === "REQUEST_CHANGED")) throw error; // another worker's holds
    }
  }

  async #ask(stepId: string, path: string, state: RunState): Promise<Json | undefined> {
    const closure = this.#facts.workflow.closures.get(path)?.open;
    return (await closure?.((await scopeOf(this.#facts, state, stepId)) as never)) as Json | undefined;
  }
}
