/**
 * Drives one run that this worker owns: decides, appends, and starts the work. It remembers nothing that the log does not
 * hold, so that another worker can resume the run at any moment.
 */
import { RetryError, SeqMismatchError, StaleLeaseError, type HeldRun, type StepRow } from "@runledger/contracts";
import { isTerminal, type EventDraft, type RunState } from "@runledger/core";
import { RecentEvents } from "../runs/recent-events.js";
import type { RunEnd } from "../runs/run-end.js";
import { Notifier } from "../time/notifier.js";
import { retry } from "../time/retry.js";
import type { SpooledAppend } from "./budget/spool-records.js";
import type { EngineDeps } from "./engine-deps.js";
import { assertOwner, takeOverDraft } from "./lease-fencing.js";
import { assertNotLost } from "./lost-events.js";
import { HandOver } from "./release-run.js";
import type { RunContext } from "./run-context.js";
import { RunLog, type AppendOutcome } from "./run-log.js";
import { RunWork } from "./run-work.js";
import { SpeculativeRun, type Turn } from "./speculative-run.js";
import { stallsAtEnd, stepsInFlight, SUSPECT_AFTER, Suspects } from "./suspects.js";

/** The end of a log that is searched for workers that were lost without a step in flight. */
const TAIL = 50;

export class RunDriver {
  readonly held: HeldRun;
  readonly #context: RunContext;
  readonly #deps: EngineDeps;
  readonly #run: SpeculativeRun;
  readonly #log: RunLog;
  readonly #work: RunWork;
  readonly #notifier: Notifier;
  readonly #suspects = new Suspects();
  /** Wake-ups that the store has counted, and those after which the log was read. `parkRun` compares them. */
  #wakes: number;
  #seenWakes: number;
  /** `true` if the log may hold events that are not folded. */
  #isBehind = false;
  /** `true` if a step requested a checkpoint (C2). The next append carries one. */
  #checkpointRequested = false;
  /** `true` while an append of spooled starts has no answer. */
  #isAwaitingAnswer = false;
  /** Its starts that are in the spool. */
  #spooled: SpooledAppend | null = null;
  #isDraining = false;
  /** `true` if it was reported that the run is driven alone. */
  #isIsolated = false;
  #isAbandoned = false;

  constructor(context: RunContext, deps: EngineDeps, held: HeldRun) {
    this.held = held;
    const requestCheckpoint = (): void => void (this.#checkpointRequested = true);
    this.#context = { ...context, requestCheckpoint, recentEvents: new RecentEvents() };
    this.#deps = deps;
    this.#run = new SpeculativeRun(this.#context, deps.newDecider(context.workflow.plan), held.slot, this.#suspects);
    this.#log = new RunLog(this.#context, this.#run);
    this.#notifier = new Notifier(deps.timers);
    this.#work = new RunWork(this.#context, deps, () => this.#notifier.notify());
    this.#wakes = held.wakes;
    this.#seenWakes = held.wakes;
  }

  /** How the run ended. `null` if it did not end here. */
  get end(): RunEnd | null {
    return this.#log.end;
  }

  get isChild(): boolean {
    return this.#run.state.details.parent !== undefined;
  }

  /** Reports how often the run was woken: another writer may have appended, or a child may be finished. */
  setWakes(wakes: number): void {
    if (wakes === this.#wakes) return;
    this.#wakes = wakes;
    this.#notifier.notify();
  }

  /** Starts nothing more, waits for running steps, and releases the run. */
  drain(): void {
    this.#isDraining = true;
    this.#notifier.notify();
  }

  /** Stops without recording anything: another worker owns the run, or will. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#work.abandon();
    this.#notifier.notify();
  }

  /** Resolves when the run is finished, is parked, or belongs to another worker. */
  async drive(): Promise<void> {
    try {
      const { firstEvent } = this.held;
      if (firstEvent !== undefined) this.#log.loadFirst(firstEvent);
      else await this.#retry(() => this.#log.load(this.held.headSeq));
      await this.#retry(() => this.#recordTakeOver());
      while (!this.#isAbandoned && (await this.#retry(() => this.#turn())) !== "done");
    } catch (error) {
      if (!(error instanceof StaleLeaseError)) throw error; // P4: another worker owns it
    } finally {
      this.abandon();
      this.#deps.isolation.leave(this.held.runId);
      await this.#settleSpooled(this.#run.spooled.length === 0 ? "reconciled" : "dropped");
    }
  }

  /** Retries while the store is unavailable. Returns `undefined` once the run is abandoned. */
  #retry<T>(action: () => Promise<T>): Promise<T | undefined> {
    return retry(async () => (this.#isAbandoned ? undefined : action()), {
      timers: this.#deps.timers,
      delayMs: 100,
      maxDelayMs: 1600,
      shouldRetry: (error) => {
        this.#isBehind = true; // an append without an answer may be stored: read it before the next decision
        return error instanceof RetryError;
      },
    });
  }

  /** Appends `RunTakenOver` if a worker was lost, before anything is decided (N4). A suspect waits for its turn before. */
  async #recordTakeOver(): Promise<void> {
    if (this.#isBehind) await this.#log.catchUp(); // an earlier try got no answer
    const next = (): EventDraft | null => takeOverDraft(this.#context, this.#deps.workerId, this.held, this.#run.state);
    for (let draft = next(); draft !== null; draft = next()) {
      if (await this.#willBeSuspect()) await this.#waitUntilAlone();
      if (this.#isAbandoned) return;
      const outcome = await this.#append([draft]);
      if (outcome === "late") await this.#awaitAnswer();
      if (outcome === "late" || outcome === "refused") continue;
      this.#context.metrics?.takenOver();
      break;
    }
    if (this.#run.state.details.leaseEpoch === this.held.epoch)
      this.#suspects.read(this.#run.state, await this.#countStalls());
  }

  async #willBeSuspect(): Promise<boolean> {
    const inFlight = stepsInFlight(this.#context, this.#run.state);
    const losses = inFlight.length === 0 ? await this.#countStalls() : Math.max(...inFlight.map(takeOversOf));
    return losses + 1 >= SUSPECT_AFTER;
  }

  async #countStalls(): Promise<number> {
    const { store, runId } = this.#context;
    const afterSeq = Math.max(0, this.#run.state.lastEventSeq - TAIL);
    return stallsAtEnd(await store.fetchEvents(runId, { afterSeq }));
  }

  /** A run with a suspect waits until this worker drives nothing else. Meanwhile the worker answers operators (Q2). */
  async #waitUntilAlone(): Promise<void> {
    const { isolation } = this.#deps;
    while (!this.#isAbandoned && this.#run.hasSlot) {
      const standing = isolation.enter(this.held.runId, () => this.#notifier.notify());
      if (standing === "alone") return this.#reportIsolation();
      if (this.#isDraining) throw new HandOver();
      if (this.#mustCatchUp()) await this.#catchUp();
      if (hasActions(this.#run.state)) return this.#run.loseSlot();
      if (standing === "refused") throw new HandOver();
      await this.#notifier.wait(null);
    }
  }

  #reportIsolation(): void {
    if (this.#isIsolated) return;
    this.#isIsolated = true;
    const { runId, alert } = this.#context;
    const steps = stepsInFlight(this.#context, this.#run.state).map(({ stepId }) => stepId);
    const what = steps.length === 0 ? "evaluated it" : `ran ${steps.join(", ")}`;
    const message = `Run ${runId} is driven alone, because workers were lost while they ${what}.`;
    alert?.({ code: "RUN_ISOLATED", runId, message });
  }

  /** Other runs may share the worker again once the run has no suspect. */
  async #isolateSuspects(): Promise<void> {
    if (this.#suspects.remain(this.#run.state)) return this.#waitUntilAlone();
    this.#deps.isolation.leave(this.held.runId);
  }

  /** One round: appends what happened, and starts what follows from it. */
  async #turn(): Promise<"done" | "again"> {
    this.#work.throwFault();
    await this.#catchUp();
    await this.#isolateSuspects();
    const { happened } = this.#work;
    const turn = this.#isDraining
      ? this.#run.planLastTurn(happened)
      : this.#run.planTurn(happened, this.#context.now());
    this.#work.discard(turn.dropped);
    if (this.#mustAppend(turn) && !(await this.#record(turn, happened))) return "again";
    if (isTerminal(this.#run.state.status)) return turn.drafts.length > 0 ? "done" : this.#park(null);
    assertOwner(this.#context, this.#run.state);
    if (this.#isAbandoned) return "done";
    for (const command of turn.commands) this.#work.start(command, this.#run.startedState, this.#suspects.stalls);
    if (this.#work.happened.length > 0 || this.#mustCatchUp()) return "again";
    if (this.#work.inFlight === 0)
      return this.#park(this.#isDraining || turn.needsSlot ? this.#context.now() : turn.wakeAt);
    await this.#notifier.wait(turn.wakeAt === null ? null : Math.max(0, turn.wakeAt - this.#context.now()));
    return "again";
  }

  /** Reads what others appended, and aborts work that they settled. */
  async #catchUp(): Promise<void> {
    if (this.#mustCatchUp()) {
      const wakes = this.#wakes;
      this.#work.recheckChildren();
      await this.#log.catchUp();
      this.#seenWakes = wakes;
      this.#isBehind = false;
    }
    this.#work.dropSettled(this.#run.state);
    if (this.#spooled !== null && this.#run.spooled.length === 0) await this.#settleSpooled("reconciled");
  }

  #mustCatchUp(): boolean {
    return this.#isBehind || this.#wakes !== this.#seenWakes;
  }

  async #record(turn: Turn, happened: readonly EventDraft[]): Promise<boolean> {
    const outcome = await this.#append(turn.drafts);
    if (outcome === "late") return this.#continueLate(turn);
    if (outcome !== "refused") {
      this.#work.discard(happened);
      this.#suspects.progressed();
    }
    return outcome === "next";
  }

  /** Spooled starts that were sent wait for an answer. */
  #mustAppend({ drafts }: Turn): boolean {
    return drafts.length > (this.#isAwaitingAnswer ? this.#run.spooled.length : 0);
  }

  /**
   * Continues without the answer to an append (B1). Returns `true` if the steps of the turn may start. Otherwise the log is
   * read before the next decision. That append expects the head that was read, so only one of the two is stored.
   */
  async #continueLate(turn: Turn): Promise<boolean> {
    if (turn.onlyStarts && (await this.#spool(turn.drafts))) return true;
    if (this.#work.failCompleted(turn.drafts, this.#run.state)) this.#isBehind = true;
    else await this.#awaitAnswer();
    return false;
  }

  async #spool(drafts: readonly EventDraft[]): Promise<boolean> {
    const { runId, epoch, budget } = this.#context;
    if (drafts.length > this.#run.spooled.length) {
      const append = { runId, epoch, events: this.#run.eventsOf(drafts) };
      if (!(await budget!.spool(append))) return false;
      await this.#settleSpooled("replaced");
      this.#spooled = append;
    }
    this.#run.startSpooled(drafts);
    this.#isAwaitingAnswer = true;
    void this.#awaitAnswer().then(() => this.#notifier.notify());
    return true;
  }

  async #settleSpooled(outcome: "reconciled" | "dropped" | "replaced"): Promise<void> {
    const spooled = this.#spooled;
    this.#spooled = null;
    if (spooled !== null) await this.#context.budget!.settle(spooled, outcome);
  }

  /** The log may hold the events of a late append once it has an answer. */
  async #awaitAnswer(): Promise<void> {
    await this.#log.answered;
    this.#isAwaitingAnswer = false;
    this.#isBehind = true;
  }

  async #append(drafts: readonly EventDraft[]): Promise<AppendOutcome> {
    const { lastEventSeq } = this.#run.state;
    const outcome = await this.#log.append(drafts, this.#checkpointRequested);
    if (outcome === "late") return outcome;
    if (outcome !== "refused") this.#checkpointRequested = false;
    if (outcome !== "refused" || this.#run.state.lastEventSeq > lastEventSeq) return outcome;
    throw new Error(`The store refuses an append after seq ${lastEventSeq}, but returns no later events.`);
  }

  /** Parks only at the folded head and the seen wake-ups (O2). If something came in between, the driver reads it. */
  async #park(wakeAt: number | null): Promise<"done" | "again"> {
    const { store, runId, epoch } = this.#context;
    const at = { workerId: this.#deps.workerId, runId, epoch, expectedSeq: this.#run.state.lastEventSeq };
    const until = { wakes: this.#seenWakes, wakeAt: wakeAt === null ? null : new Date(wakeAt).toISOString() };
    const checkpoint = this.#log.checkpoint();
    const unanswered = this.#isDraining && hasActions(this.#run.state); // another worker answers, regardless of limits (Q2)
    try {
      await store.queue!.parkRun({ ...at, ...until, checkpoint, unanswered });
      this.#context.metrics?.checkpointSaved(checkpoint);
      return "done";
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      assertNotLost(error);
      this.#isBehind = true;
      return "again";
    }
  }
}

function takeOversOf({ takeOvers = 0 }: StepRow): number {
  return takeOvers;
}

function hasActions({ details: { actions = [] } }: RunState): boolean {
  return actions.length > 0;
}
