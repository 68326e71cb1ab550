/**
 * Starts, checks and cancels the children of a run (D9). A child is started only after its parent's log names it. So a
 * parent that is cancelled or taken over leaves no orphan, whenever that happens.
 */
import { InputError, omitUndefined, RunNotFoundError, StopError, type Json, type RunError } from "@runledger/contracts";
import { pathOf, type Command, type EventDraft, type RunState } from "@runledger/core";
import { artifactHome } from "./artifact-home.js";
import { childRunId } from "./children.js";
import type { ChildOutcome, EngineDeps } from "./engine-deps.js";
import type { StartChild } from "./evaluate-container.js";
import { fitOutput } from "./fit-output.js";
import { retryUntilAborted } from "../time/retry.js";
import type { RunContext } from "./run-context.js";
import { FatalStepError, toRunError } from "../workflow/step-errors.js";
import { stepFailed } from "./step-failed.js";
import { scopeOf } from "./step-scope.js";
import { StoreCalls } from "./store-calls.js";

const CANCELLED: RunError = { code: "CANCELLED", message: "The run was stopped.", retryable: false };

type AwaitChild = Extract<Command, { readonly type: "awaitChild" }>;

export class ChildWork {
  readonly #context: RunContext;
  readonly #deps: EngineDeps;
  /** Inputs of children that are not started yet. A worker that took the run over calls the closures again. */
  readonly #inputs = new Map<string, Json | undefined>();
  /** Children that were checked since the run was last woken. */
  readonly #checked = new Set<string>();
  /** Children that this worker has sent to the store to start. */
  readonly #startSent = new Set<string>();
  readonly #toCancel = new Set<string>();
  readonly #cancelSent = new Set<string>();

  constructor(context: RunContext, deps: EngineDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Returns the id that the child will have. The log holds it before the child exists. */
  readonly reserve: StartChild = async (child) => {
    const id = childRunId(this.#context.runId, child);
    this.#inputs.set(id, child.input);
    return id;
  };

  recheckAll(): void {
    this.#checked.clear();
  }

  cancel(id: string): void {
    this.#toCancel.add(id);
  }

  needsCheck(id: string): boolean {
    return !this.#checked.has(id) || (this.#toCancel.has(id) && !this.#cancelSent.has(id));
  }

  /** Starts or cancels the child if necessary. Returns the drafts of its end, if it is finished. */
  async check(command: AwaitChild, state: RunState, signal: AbortSignal): Promise<readonly EventDraft[]> {
    const { childRunId: id } = command;
    this.#checked.add(id);
    try {
      return await retryUntilAborted(this.#deps.timers, signal, async () => {
        if (this.#toCancel.has(id)) await this.#sendCancel(id);
        return this.#handle(command, state, await this.#deps.children.outcome(id), signal);
      });
    } catch (error) {
      if (!(error instanceof InputError || error instanceof FatalStepError)) throw error;
      return [stepFailed(this.#context, state, command, { ...toRunError(error), retryable: false })];
    }
  }

  async #handle(
    command: AwaitChild,
    state: RunState,
    outcome: ChildOutcome,
    signal: AbortSignal,
  ): Promise<readonly EventDraft[]> {
    const { stepId, attempt, childRunId: id } = command;
    const isStopping = this.#toCancel.has(id);
    if (outcome === "running") return [];
    if (outcome === "absent") {
      // Our own start without an answer may still arrive. So start the child, then cancel it.
      if (isStopping && !this.#startSent.has(id)) return [stepFailed(this.#context, state, command, CANCELLED)];
      await this.#start(command, state, signal);
      return [];
    }
    if ("output" in outcome) {
      const home = artifactHome(this.#context, state, { stepId, attempt }, (action) => action()); // `check` repeats it
      const draft = { eventType: "StepCompleted", stepId, attempt, data: { output: outcome.output } };
      return [await fitOutput(this.#context, home, draft)];
    }
    const error = { code: "CHILD_FAILED", message: outcome.message, retryable: !isStopping };
    return [stepFailed(this.#context, state, command, error)];
  }

  async #sendCancel(id: string): Promise<void> {
    try {
      await this.#deps.children.cancel(id);
    } catch (error) {
      if (!(error instanceof RunNotFoundError)) throw error;
      if (this.#startSent.has(id)) return; // cancel it once it exists
    }
    this.#cancelSent.add(id);
  }

  async #start(command: AwaitChild, state: RunState, signal: AbortSignal): Promise<void> {
    const { stepId, attempt, childRunId: id } = command;
    const path = pathOf(stepId);
    const input = this.#inputs.has(id) ? this.#inputs.get(id) : await this.#evaluateInput(stepId, state, signal);
    const { tenantId, projectId, environmentId, priority } = state.details;
    const place = omitUndefined({ tenantId, projectId, environmentId, priority });
    this.#startSent.add(id);
    try {
      await this.#deps.children.start(this.#context, { stepId, attempt, path, input, place });
      this.#inputs.delete(id);
    } catch (error) {
      if (!(error instanceof StopError && error.code === "REQUEST_CHANGED")) throw error; // another worker's input counts
    }
  }

  async #evaluateInput(stepId: string, state: RunState, signal: AbortSignal): Promise<Json | undefined> {
    const closure = this.#context.workflow.closures.get(pathOf(stepId))?.open;
    const scope = await scopeOf(this.#context, state, stepId, new StoreCalls(this.#deps.timers, signal));
    return (await closure?.(scope as never)) as Json | undefined;
  }
}
