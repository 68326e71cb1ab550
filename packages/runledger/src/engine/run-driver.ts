/**
 * Drives one run that this worker owns: asks `decide`, appends, does the work. Nothing is remembered here that is not
 * in the log, so that another worker can go on from there at any moment.
 */
import { SeqMismatchError, StaleLeaseError } from "@runledger/contracts";
import { indexPlan, isTerminal, pathOf, toRunSnapshot, UNDO, type Command, type EventDraft } from "@runledger/core";
import { pause, type EngineParts } from "./engine-parts.js";
import { executeStep } from "./execute-step.js";
import { InFlight } from "./in-flight.js";
import { askAgain, openStep } from "./open-step.js";
import { planTurn, type Turn } from "./plan-turn.js";
import type { RunFacts } from "./run-facts.js";
import { isRetry, RunLog } from "./run-log.js";

/** Five take-overs of one logical attempt are too many (D5). */
const MAX_TAKE_OVERS = 5;
/** Between tries while the store is away. */
const RETRY_MS = 100;
const CONTAINERS = new Set(["when", "forEach", "repeat", "wait", "sleep", "child"]);

export class RunDriver {
  readonly #facts: RunFacts;
  readonly #parts: EngineParts;
  readonly #log: RunLog;
  readonly #inFlight: InFlight;
  /** What ended and is not on record yet. */
  #happened: readonly EventDraft[] = [];
  /** Children that were looked at since somebody last woke the run. */
  readonly #lookedAt = new Set<string>();
  #wake: () => void = () => {};
  #poked = false;
  #abandoned = false;
  #fault: unknown = null;

  constructor(facts: RunFacts, parts: EngineParts) {
    this.#facts = facts;
    this.#parts = parts;
    this.#log = new RunLog(facts);
    this.#inFlight = new InFlight(parts.timers, {
      settled: (drafts) => {
        this.#happened = [...this.#happened, ...drafts];
        this.#wake();
      },
      failed: (error) => {
        if (!isRetry(error)) this.#fault = error; // a store that is away is asked again by the next turn
        this.#wake();
      },
    });
  }

  /** Somebody else appended to the run, or a child of it has ended. */
  poke(): void {
    this.#poked = true;
    this.#wake();
  }

  /** Stops and records nothing more: the run is somebody else's, or is handed over. */
  abandon(): void {
    this.#abandoned = true;
    this.#inFlight.abortAll(new Error("The worker gave the run up."));
    this.#wake();
  }

  /** Resolves when the run has ended, is parked, or is somebody else's. */
  async drive(takenFrom: string | null): Promise<void> {
    try {
      await this.#patiently(() => this.#log.catchUp());
      if (takenFrom !== null) await this.#patiently(() => this.#recordTakeOver());
      while (!this.#abandoned && !(await this.#patiently(() => this.#turn())));
    } catch (error) {
      this.abandon();
      if (!(error instanceof StaleLeaseError)) throw error;
    }
  }

  /** The store may be away for a while. What was asked of it is asked again: keys make that safe (P7). */
  async #patiently<T>(action: () => Promise<T>): Promise<T | undefined> {
    while (!this.#abandoned) {
      try {
        return await action();
      } catch (error) {
        if (!isRetry(error)) throw error;
        await pause(this.#parts.timers, RETRY_MS);
        this.#poked = true; // whatever was stored of it is read before the next decision
      }
    }
    return undefined;
  }

  /** Before anything is decided (N4). Steps in flight are those whose work was under way, not containers. */
  async #recordTakeOver(): Promise<void> {
    const { status, ordinals, steps } = toRunSnapshot(this.#log.state);
    if (isTerminal(status)) return;
    const inFlight = steps.filter((step) => step.status === "RUNNING" && this.#isRunner(step.stepId));
    const data = {
      epoch: this.#facts.epoch,
      workerId: this.#parts.workerId,
      stepsInFlight: inFlight.map(({ stepId }) => stepId),
    };
    await this.#log.append([{ eventType: "RunTakenOver", attempt: (ordinals["RunTakenOver"] ?? 0) + 1, data }], false);
  }

  #isRunner(stepId: string): boolean {
    return !CONTAINERS.has(indexPlan(this.#facts.workflow.plan).get(pathOf(stepId.replace(UNDO, "")))?.kind ?? "when");
  }

  /** One round. True = this driver is done. */
  async #turn(): Promise<boolean> {
    if (this.#fault !== null) throw this.#fault;
    if (this.#poked) {
      this.#poked = false;
      this.#lookedAt.clear();
      await this.#log.catchUp();
    }
    const happened = this.#happened;
    const ahead = (drafts: readonly EventDraft[]) => this.#log.ahead(drafts);
    const turn = planTurn({ plan: this.#facts.workflow.plan, happened, now: this.#facts.now(), ahead });
    if (turn.drafts.length > 0 && !(await this.#record(turn, happened))) return false;
    if (isTerminal(this.#log.state.status)) return true;
    for (const command of turn.commands) if (!this.#hasEnded(command)) this.#begin(command);
    if (turn.changesStatus || this.#happened.length > 0 || this.#poked) return false;
    return this.#inFlight.size === 0 ? this.#park(turn.wakeAt) : this.#sleep(turn.wakeAt);
  }

  async #record(turn: Turn, happened: readonly EventDraft[]): Promise<boolean> {
    const recorded = await this.#log.append(turn.drafts, turn.changesStatus);
    if (recorded !== "refused") this.#happened = this.#happened.filter((draft) => !happened.includes(draft));
    return recorded === "next";
  }

  /** It ended while the append was on its way: what was decided before that would begin it again. */
  #hasEnded(command: Command): boolean {
    if (!("stepId" in command)) return false;
    return this.#happened.some(({ stepId }) => stepId === command.stepId || stepId?.startsWith(`${command.stepId}/`));
  }

  #begin(command: Command): void {
    const { timeoutMs } = ("path" in command && indexPlan(this.#facts.workflow.plan).get(command.path)) || {};
    const { state } = this.#log;
    switch (command.type) {
      case "run":
        return this.#inFlight.begin(keyOf(command), timeoutMs, (signal) => this.#work(command, signal));
      case "open":
        return this.#inFlight.begin(keyOf(command), timeoutMs, () =>
          openStep(this.#facts, state, command, (child) => this.#parts.children.start(this.#facts, child)),
        );
      case "askAgain": {
        const pass = { stepId: `${command.stepId}/${command.iteration}`, attempt: 1 };
        return this.#inFlight.begin(keyOf(pass), undefined, async () => [await askAgain(this.#facts, state, command)]);
      }
      case "awaitChild":
        return this.#lookAtChild(command);
      case "cancelChild":
        return void this.#parts.children.cancel(command.childRunId);
      case "abort":
        return this.#abort(command);
      case "append":
        return;
    }
  }

  async #work(command: Extract<Command, { type: "run" }>, signal: AbortSignal): Promise<EventDraft[]> {
    const { stepId, attempt } = command;
    const { state } = this.#log;
    const takeOvers = state.steps.get(stepId)?.takeOvers ?? 0;
    if (takeOvers < MAX_TAKE_OVERS)
      return [await executeStep(this.#facts, this.#parts.runners, state, command, signal)];
    const error = {
      code: "WORKER_LOST",
      message: `${takeOvers} workers were lost while they ran it.`,
      retryable: false,
    };
    return [{ eventType: "StepFailed", stepId, attempt, data: { error } }];
  }

  #lookAtChild(command: Extract<Command, { type: "awaitChild" }>): void {
    if (this.#lookedAt.has(command.childRunId)) return;
    this.#lookedAt.add(command.childRunId);
    this.#inFlight.begin(keyOf(command), undefined, async () => {
      const outcome = await this.#parts.children.outcome(command.childRunId, command);
      return outcome === null ? [] : [outcome];
    });
  }

  /** What is not under way here was under way in a worker that is gone: it has ended, one way or the other. */
  #abort(command: { readonly stepId: string; readonly attempt: number }): void {
    const reason = Object.assign(new Error("The run was stopped."), { code: "CANCELLED", retryable: false });
    if (this.#inFlight.abort(keyOf(command), reason)) return;
    const { stepId, attempt } = command;
    const error = { code: "CANCELLED", message: reason.message, retryable: false };
    this.#happened = [...this.#happened, { eventType: "StepFailed", stepId, attempt, data: { error } }];
  }

  /** O2: only at the head that was folded. A signal that came in between is seen instead. */
  async #park(wakeAt: number | null): Promise<boolean> {
    const { store, runId, epoch } = this.#facts;
    const time = wakeAt === null ? null : new Date(wakeAt).toISOString();
    const expectedSeq = this.#log.state.lastEventSeq;
    try {
      await store.queue!.parkRun({
        workerId: this.#parts.workerId,
        runId,
        epoch,
        expectedSeq,
        wakeAt: time,
        checkpoint: null,
      });
      return true;
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      this.#poked = true;
      return false;
    }
  }

  async #sleep(wakeAt: number | null): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (wakeAt !== null) this.#parts.timers.after(Math.max(0, wakeAt - this.#facts.now()), resolve);
    });
    this.#wake = () => {};
    return false;
  }
}

function keyOf({ stepId, attempt }: { readonly stepId: string; readonly attempt: number }): string {
  return `${stepId}#${attempt}`;
}
