/**
 * The work of one run in this process: what was begun here, and what came of it and is not on record yet. Nothing of it
 * outlives the process; whatever another worker must know is in the log.
 */
import { checkEventData, InputError, RetryError, type JsonObject, type StepRow } from "@runledger/contracts";
import { indexPlan, type Command, type EventDraft, type RunState } from "@runledger/core";
import { ChildWork } from "./child-work.js";
import type { EngineParts } from "./engine-parts.js";
import { executeStep } from "./execute-step.js";
import { InFlight, type Attempt } from "./in-flight.js";
import { askAgain, openStep } from "./open-step.js";
import { insist } from "./patience.js";
import { withoutSecrets, type RunFacts } from "./run-facts.js";

/** Five take-overs of one logical attempt are too many (D5). */
const MAX_TAKE_OVERS = 5;

type CommandOf<T extends Command["type"]> = Extract<Command, { readonly type: T }>;

export class RunWork {
  readonly #facts: RunFacts;
  readonly #parts: EngineParts;
  readonly #inFlight: InFlight;
  readonly #children: ChildWork;
  #happened: readonly EventDraft[] = [];
  #fault: { readonly error: unknown } | null = null;

  /** `changed` is called when something ended. */
  constructor(facts: RunFacts, parts: EngineParts, changed: () => void) {
    this.#facts = facts;
    this.#parts = parts;
    this.#children = new ChildWork(facts, parts);
    this.#inFlight = new InFlight(parts.timers, {
      settled: (drafts) => {
        this.#happened = [...this.#happened, ...drafts.flatMap((draft) => this.#recordable(draft))];
        changed();
      },
      failed: (error) => {
        if (!(error instanceof RetryError)) this.#fault ??= { error }; // a store that is away is asked again
        changed();
      },
    });
  }

  /** What ended and is not on record yet. */
  get happened(): readonly EventDraft[] {
    return this.#happened;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** These are on record, or no longer wanted there. */
  forget(drafts: readonly EventDraft[]): void {
    this.#happened = this.#happened.filter((draft) => !drafts.includes(draft));
  }

  /** What the log has settled otherwise is given up: an operator skipped it, or reset it, or it is on record already. */
  follow(state: RunState): void {
    this.#happened = this.#happened.filter((draft) => !isSettled(state, draft));
    const isOver = ({ stepId, attempt }: Attempt): boolean => isSettled(state, { stepId, attempt, eventType: "" });
    this.#inFlight.giveUp(isOver, "The step was ended by somebody else.");
  }

  /** Somebody woke the run: children may have ended. */
  lookAgain(): void {
    this.#children.lookAgain();
  }

  abandon(): void {
    this.#inFlight.giveUp(() => true, "The worker gave the run up.");
  }

  begin(command: Command, state: RunState): void {
    if (this.#hasEnded(command)) return;
    switch (command.type) {
      case "run":
        return this.#begin(command, this.#timeout(command), async (signal) => [
          await this.#run(command, state, signal),
        ]);
      case "open":
        return this.#begin(command, undefined, (signal) =>
          insist(this.#parts.timers, signal, () =>
            openStep(this.#facts, state, command, (child) => this.#children.announce(child)),
          ),
        );
      case "askAgain":
        return this.#begin(passOf(command), undefined, async (signal) => [
          await insist(this.#parts.timers, signal, () => askAgain(this.#facts, state, command)),
        ]);
      case "awaitChild":
        return this.#awaitChild(command, state);
      case "cancelChild":
        return this.#children.cancel(command.childRunId);
      case "abort":
        return this.#abort(command);
      case "append":
        return;
    }
  }

  #begin(attempt: Attempt, timeoutMs: number | undefined, work: Parameters<InFlight["begin"]>[2]): void {
    this.#inFlight.begin(attempt, timeoutMs, work);
  }

  #timeout({ path }: CommandOf<"run">): number | undefined {
    return indexPlan(this.#facts.workflow.plan).get(path)?.timeoutMs;
  }

  async #run(command: CommandOf<"run">, state: RunState, signal: AbortSignal): Promise<EventDraft> {
    const takeOvers = state.steps.get(command.stepId)?.takeOvers ?? 0;
    if (takeOvers < MAX_TAKE_OVERS) return executeStep(this.#facts, this.#parts.runners, state, command, signal);
    return failed(command, "WORKER_LOST", `${takeOvers} workers were lost while they ran it.`);
  }

  #awaitChild(command: CommandOf<"awaitChild">, state: RunState): void {
    if (!this.#children.isWorthALook(command.childRunId)) return;
    this.#begin(command, undefined, (signal) => this.#children.look(command, state, signal));
  }

  /** What is not under way here was under way in a worker that is gone: it has ended, one way or the other. */
  #abort(command: CommandOf<"abort">): void {
    const reason = Object.assign(new Error("The run was stopped."), { code: "CANCELLED", retryable: false });
    if (this.#inFlight.abort(command, reason)) return;
    this.#happened = [...this.#happened, failed(command, "CANCELLED", reason.message)];
  }

  /** It ended while an append was on its way: what was decided before that would begin it again. */
  #hasEnded(command: Command): boolean {
    if (!("stepId" in command)) return false;
    return this.#happened.some(({ stepId }) => stepId === command.stepId || stepId?.startsWith(`${command.stepId}/`));
  }

  /**
   * An output that the log cannot hold is the step's failure, not the run's end. What it can hold is copied: the step may
   * go on with what it gave back, and what is folded must be what was written.
   */
  #recordable(draft: EventDraft): readonly EventDraft[] {
    const { eventType, stepId, attempt, data = {} } = draft;
    try {
      const text = checkEventData({ eventType, eventData: withoutSecrets(this.#facts, data) });
      return [{ ...draft, data: JSON.parse(text) as JsonObject }];
    } catch (error) {
      if (!(error instanceof InputError) || stepId === undefined) throw error;
      const end = failed({ stepId, attempt: Number(attempt) }, error.code, error.message);
      return eventType === "StepStarted" ? [{ eventType, stepId, attempt }, end] : [end];
    }
  }
}

function failed({ stepId, attempt }: Attempt, code: string, message: string): EventDraft {
  return { eventType: "StepFailed", stepId, attempt, data: { error: { code, message, retryable: false } } };
}

/** Each pass through a repeat is a step of its own. */
function passOf({ stepId, iteration, attempt }: CommandOf<"askAgain">): Attempt {
  return { stepId: `${stepId}/${iteration}`, attempt };
}

function isSettled(state: RunState, { eventType, stepId, attempt }: EventDraft): boolean {
  const row = stepId === undefined ? undefined : state.steps.get(stepId);
  if (row === undefined) return false;
  const known = Number(row.logicalAttemptId);
  if (known !== Number(attempt)) return known > Number(attempt);
  return hasEnded(row) || (eventType === "StepStarted" && row.status === "RUNNING");
}

function hasEnded({ status }: StepRow): boolean {
  return status !== "PENDING" && status !== "RUNNING";
}
