/**
 * The work of one run in this process: what was started here, and results that are not in the log yet. None of it outlives
 * the process. Everything that another worker must know is in the log.
 */
import { checkEventData, InputError, RetryError, type ArtifactRef, type JsonObject } from "@runledger/contracts";
import { indexPlan, isInner, type Command, type EventDraft, type RunState } from "@runledger/core";
import { ChildWork } from "./child-work.js";
import type { EngineDeps } from "./engine-deps.js";
import { executeStep, MAX_ARTIFACTS } from "./execute-step.js";
import { InFlight, type AttemptRef } from "./in-flight.js";
import { RecordedSteps } from "./inner-steps.js";
import { evaluateContainer, evaluateUntil } from "./evaluate-container.js";
import { isSettled } from "./is-settled.js";
import { recordable, type RunContext } from "./run-context.js";
import { stepFailed } from "./step-failed.js";
import { runAsStep } from "./step-process.js";
import { StateSize } from "./state-size.js";
import { StoreCalls } from "./store-calls.js";
import { outputTooLarge } from "./output-too-large.js";
import { isContainer, MAX_TAKE_OVERS, SUSPECT_AFTER } from "./suspects.js";

type CommandOf<T extends Command["type"]> = Extract<Command, { readonly type: T }>;

export class RunWork {
  readonly #context: RunContext;
  readonly #deps: EngineDeps;
  readonly #inFlight: InFlight;
  readonly #children: ChildWork;
  readonly #stateSize = new StateSize();
  readonly #onChange: () => void;
  #happened: readonly EventDraft[] = [];
  #fault: { readonly error: unknown } | null = null;

  /** Calls `onChange` whenever some work has finished, and when a runner has recorded an inner step. */
  constructor(context: RunContext, deps: EngineDeps, onChange: () => void) {
    this.#context = context;
    this.#deps = deps;
    this.#onChange = onChange;
    this.#children = new ChildWork(context, deps);
    this.#inFlight = new InFlight(deps.timers, {
      settled: (drafts) => {
        this.#happened = [...this.#happened, ...drafts.flatMap((draft) => this.#recordable(draft))];
        onChange();
      },
      failed: (error) => {
        if (!(error instanceof RetryError)) this.#fault ??= { error }; // work that found the store unavailable is started again
        onChange();
      },
    });
  }

  /** Results that are not in the log yet. */
  get happened(): readonly EventDraft[] {
    return this.#happened;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** Removes results that are in the log, or no longer wanted there. */
  discard(drafts: readonly EventDraft[]): void {
    this.#happened = this.#happened.filter((draft) => !drafts.includes(draft));
  }

  /**
   * Replaces completed steps among these drafts by failures, because the log did not confirm them within the budget (B1).
   * Returns `false` if there are none. Containers only record what other events led to, so they wait for the log.
   */
  failCompleted(drafts: readonly EventDraft[], state: RunState): boolean {
    const late = this.#happened.filter((draft) => drafts.includes(draft) && this.#isOwnCompletion(draft));
    this.#happened = this.#happened.map((draft) =>
      late.includes(draft) ? lateCompletion(this.#context, state, draft) : draft,
    );
    return late.length > 0;
  }

  #isOwnCompletion({ eventType, stepId }: EventDraft): boolean {
    const isStep = eventType === "StepCompleted" && stepId !== undefined;
    return isStep && !isContainer(this.#context, stepId) && !isInner(indexPlan(this.#context.workflow.plan), stepId);
  }

  /** Abandons work that the log has settled: an operator skipped or reset the step, or its result is in the log. */
  dropSettled(state: RunState): void {
    this.#happened = this.#happened.filter((draft) => !isSettled(state, draft));
    const isOver = ({ stepId, attempt }: AttemptRef): boolean => isSettled(state, { stepId, attempt, eventType: "" });
    this.#inFlight.abandon(isOver, "The step was settled by another writer.");
  }

  /** Checks all children again: one of them may have woken the run. */
  recheckChildren(): void {
    this.#children.recheckAll();
  }

  abandon(): void {
    this.#inFlight.abandon(() => true, "The worker no longer drives the run.");
  }

  /** `stalls` is the number of workers that were lost, one after the other, while this closure may have run. */
  start(command: Command, state: RunState, stalls = 0): void {
    if (this.#hasEnded(command)) return;
    this.#stateSize.start(state.userState);
    if (stalls >= MAX_TAKE_OVERS && (command.type === "open" || command.type === "askAgain"))
      return this.#giveUp(command, stalls);
    switch (command.type) {
      case "run":
        return this.#start(command, this.#timeout(command), (signal) => this.#run(command, state, signal));
      case "open":
        return this.#start(command, undefined, (signal) =>
          evaluateContainer(this.#context, state, command, this.#children.reserve, this.#calls(signal)),
        );
      case "askAgain":
        return this.#start(iterationOf(command), undefined, async (signal) => [
          await evaluateUntil(this.#context, state, command, this.#calls(signal)),
        ]);
      case "awaitChild":
        return this.#awaitChild(command, state);
      case "cancelChild":
        return this.#children.cancel(command.childRunId);
      case "abort":
        return this.#abort(command, state);
      case "append":
        return;
    }
  }

  #start({ stepId, attempt }: AttemptRef, timeoutMs: number | undefined, run: Parameters<InFlight["start"]>[2]): void {
    const { runId } = this.#context;
    const fail = (error: Error): void => void this.#inFlight.abort({ stepId, attempt }, error);
    const step = { runId, stepId, attempt, fail, report: (error: Error) => this.#report(stepId, error) };
    this.#inFlight.start(step, timeoutMs, (signal) => runAsStep(step, () => run(signal)));
  }

  /** Reports an error of a step's code without its secrets (S1). Its cause is left out, because it may contain them. */
  #report(stepId: string, { message }: Error): void {
    const { runId, redactor, reportFault } = this.#context;
    reportFault?.({ runId, stepId, error: new Error(redactor?.text(message) ?? message) });
  }

  #calls(signal: AbortSignal): StoreCalls {
    return new StoreCalls(this.#deps.timers, signal);
  }

  #timeout({ path }: CommandOf<"run">): number | undefined {
    return indexPlan(this.#context.workflow.plan).get(path)?.timeoutMs;
  }

  /** Returns the end of the step, after the ends of inner steps that its runner left open. */
  async #run(command: CommandOf<"run">, state: RunState, signal: AbortSignal): Promise<readonly EventDraft[]> {
    const takeOvers = state.steps.get(command.stepId)?.takeOvers ?? 0;
    const inner = new RecordedSteps(command, state, (draft) => this.#happenInside(command, draft));
    const end =
      takeOvers < MAX_TAKE_OVERS
        ? await executeStep(this.#context, this.#deps.runners, state, command, signal, inner)
        : failed(command, "WORKER_LOST", lostMessage(takeOvers, "ran this step"));
    return [...inner.unfinished(end), end];
  }

  /** Records an event of an inner step while its step runs. Ignores abandoned work. */
  #happenInside(attempt: AttemptRef, draft: EventDraft): void {
    if (!this.#inFlight.has(attempt)) return;
    this.#happened = [...this.#happened, ...this.#recordable(draft)];
    this.#onChange();
  }

  /** The closure of a container killed its workers. Fails the container, or the iteration, without calling it. */
  #giveUp(command: CommandOf<"open" | "askAgain">, lost: number): void {
    const at = command.type === "open" ? command : iterationOf(command);
    const { stepId, attempt } = at;
    const started = command.type === "open" ? [{ eventType: "StepStarted", stepId, attempt }] : [];
    const end = failed(at, "WORKER_LOST", lostMessage(lost, "evaluated this step"));
    this.#start(at, undefined, async () => [...started, end]);
  }

  #awaitChild(command: CommandOf<"awaitChild">, state: RunState): void {
    if (!this.#children.needsCheck(command.childRunId)) return;
    this.#start(command, undefined, (signal) => this.#children.check(command, state, signal));
  }

  /** An attempt that is not running here ran in a worker that was lost, so it is over. */
  #abort(command: CommandOf<"abort">, state: RunState): void {
    const reason = Object.assign(new Error("The run was stopped."), { code: "CANCELLED", retryable: false });
    if (this.#inFlight.abort(command, reason)) return;
    const end = failed(command, "CANCELLED", reason.message);
    const inner = new RecordedSteps(command, state, () => {});
    this.#happened = [...this.#happened, ...inner.unfinished(end), end];
  }

  /** Returns `true` if the step ended during an append. A command decided before that would start it again. */
  #hasEnded(command: Command): boolean {
    if (!("stepId" in command)) return false;
    return this.#happened.some(({ stepId }) => stepId === command.stepId || stepId?.startsWith(`${command.stepId}/`));
  }

  /**
   * Copies the data: the step may still change its output, and the fold must use what was written. An output that the log
   * cannot hold fails the step, not the run.
   */
  #recordable(draft: EventDraft): readonly EventDraft[] {
    const { eventType, stepId, attempt, data = {} } = draft;
    try {
      const text = checkEventData({ eventType, eventData: recordable(this.#context, data) });
      const written = JSON.parse(text) as JsonObject;
      const reason = this.#stateSize.add(written["patch"]);
      if (reason === null) return [{ ...draft, data: written }];
      return [failed({ stepId: stepId!, attempt: Number(attempt) }, "PAYLOAD_TOO_LARGE", reason)];
    } catch (error) {
      if (!(error instanceof InputError) || stepId === undefined) throw error;
      const end = failed({ stepId, attempt: Number(attempt) }, error.code, explain(error, draft));
      return eventType === "StepStarted" ? [{ eventType, stepId, attempt }, end] : [end];
    }
  }
}

function explain({ code, message }: InputError, { eventType, data = {} }: EventDraft): string {
  return code === "PAYLOAD_TOO_LARGE" && eventType === "StepCompleted" ? outputTooLarge(data as JsonObject) : message;
}

function failed({ stepId, attempt }: AttemptRef, code: string, message: string): EventDraft {
  return { eventType: "StepFailed", stepId, attempt, data: { error: { code, message, retryable: false } } };
}

/** Keeps the artifacts of the attempt, such as its log. */
function lateCompletion(context: RunContext, state: RunState, { stepId, attempt, data }: EventDraft): EventDraft {
  const message = "The step completed, but the store did not record it within the latency budget.";
  const error = { code: "APPEND_BUDGET_EXCEEDED", message, retryable: true };
  const { artifacts = [] } = (data ?? {}) as { readonly artifacts?: readonly ArtifactRef[] };
  const left = artifacts.length === 0 ? {} : { artifacts: artifacts.slice(-MAX_ARTIFACTS) };
  return stepFailed(context, state, { stepId: stepId!, attempt: Number(attempt) }, error, left);
}

function lostMessage(lost: number, did: string): string {
  const alone = `the last ${lost - SUSPECT_AFTER} while they did nothing else`;
  const remedy = "Check it for endless loops, its use of memory and calls of process.exit, then retry it.";
  return `${lost} workers were lost while they ${did}, ${alone}. ${remedy}`;
}

/** Each iteration of a repeat is a separate step. */
function iterationOf({ stepId, iteration, attempt }: CommandOf<"askAgain">): AttemptRef {
  return { stepId: `${stepId}/${iteration}`, attempt };
}
