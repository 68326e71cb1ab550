/**
 * Drives one run that this worker owns: asks `decide`, appends, does the work. Nothing is remembered here that is not
 * in the log, so that another worker can go on from there at any moment.
 */
import { RetryError, SeqMismatchError, StaleLeaseError, type HeldRun } from "@runledger/contracts";
import { indexPlan, isTerminal, pathOf, UNDO, withoutSlot, type EventDraft } from "@runledger/core";
import type { EngineParts } from "./engine-parts.js";
import { Foresight } from "./foresight.js";
import { planLastTurn, planTurn, type Considered, type Turn } from "./plan-turn.js";
import { Recall } from "./recall.js";
import type { RunEnd } from "./run-end.js";
import type { RunFacts } from "./run-facts.js";
import { RunLog, type Recorded } from "./run-log.js";
import { RunWork } from "./run-work.js";
import { Bell, pause } from "../time/timers.js";

/** Between tries while the store is away: the first, and the longest. */
const RETRY_MS = { first: 100, longest: 1600 };
const CONTAINERS = new Set(["when", "forEach", "repeat", "wait", "sleep", "child"]);

export class RunDriver {
  readonly held: HeldRun;
  readonly #facts: RunFacts;
  readonly #parts: EngineParts;
  readonly #log: RunLog;
  readonly #foresight: Foresight;
  readonly #work: RunWork;
  readonly #bell: Bell;
  /** Wake-ups that are known, and those that were looked into: what `parkRun` compares. */
  #woken: number;
  #seen: number;
  /** The log may hold more than was folded. */
  #behind = false;
  /** A step asked for a checkpoint (C2): the next append carries one. */
  #checkpointWanted = false;
  /** There is something to do for which this run would need a slot. */
  #wantsSlot = false;
  #draining = false;
  #abandoned = false;

  constructor(facts: RunFacts, parts: EngineParts, held: HeldRun) {
    this.held = held;
    const wantsCheckpoint = (): void => void (this.#checkpointWanted = true);
    this.#facts = { ...facts, wantsCheckpoint, recall: new Recall() };
    this.#parts = parts;
    this.#log = new RunLog(this.#facts);
    this.#foresight = new Foresight(this.#log, parts.newDecider(facts.workflow.plan));
    this.#bell = new Bell(parts.timers);
    this.#work = new RunWork(this.#facts, parts, () => this.#bell.ring());
    this.#woken = held.wakes;
    this.#seen = held.wakes;
  }

  /** How the run ended, if it did so here. */
  get end(): RunEnd | null {
    return this.#log.end;
  }

  /** Somebody waits for it to end: its parent. */
  get isChild(): boolean {
    return this.#log.state.details.parent !== undefined;
  }

  /** How often the run was woken so far: somebody may have appended to it, or a child of it has ended. */
  woken(wakes: number): void {
    if (wakes === this.#woken) return;
    this.#woken = wakes;
    this.#bell.ring();
  }

  /** Begins nothing more, waits for what runs, and gives the run back. */
  drain(): void {
    this.#draining = true;
    this.#bell.ring();
  }

  /** Stops and records nothing more: the run is somebody else's, or is handed over. */
  abandon(): void {
    this.#abandoned = true;
    this.#work.abandon();
    this.#bell.ring();
  }

  /** Resolves when the run has ended, is parked, or is somebody else's. */
  async drive(): Promise<void> {
    try {
      const { firstEvent } = this.held;
      if (firstEvent !== undefined) this.#log.beginWith(firstEvent);
      else await this.#patiently(() => this.#log.catchUp());
      await this.#patiently(() => this.#recordTakeOver());
      while (!this.#abandoned && (await this.#patiently(() => this.#turn())) !== "done");
    } catch (error) {
      if (!(error instanceof StaleLeaseError)) throw error; // P4: another worker owns it
    } finally {
      this.abandon();
    }
  }

  /** The store may be away for a while. What was asked of it is asked again: keys make that safe (P7). */
  async #patiently<T>(action: () => Promise<T>): Promise<T | undefined> {
    for (let wait = RETRY_MS.first; !this.#abandoned; wait = Math.min(2 * wait, RETRY_MS.longest)) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof RetryError)) throw error;
        this.#behind = true; // whatever was stored of it is read before the next decision
        await pause(this.#parts.timers, wait);
      }
    }
    return undefined;
  }

  /**
   * Before anything is decided (N4). Steps in flight are those whose work was under way, not containers. Where there are
   * some, somebody was lost, even if the claim does not say whom.
   */
  async #recordTakeOver(): Promise<void> {
    if (this.#behind) await this.#log.catchUp(); // it was asked before, and got no answer
    for (let draft = this.#takeOver(); draft !== null; draft = this.#takeOver()) {
      if ((await this.#append([draft])) !== "refused") return this.#facts.metrics?.takenOver();
    }
  }

  /** Null = nobody was lost, or it is on record. */
  #takeOver(): EventDraft | null {
    const { status, ordinals, steps, details } = this.#log.state;
    const inFlight = steps.rows().filter((row) => row.status === "RUNNING" && this.#isRunner(row.stepId));
    if (isTerminal(status) || (this.held.takenFrom === null && inFlight.length === 0)) return null;
    const { epoch } = this.#facts;
    if ((details.leaseEpoch ?? 0) >= epoch) return null;
    const data = { epoch, workerId: this.#parts.workerId, stepsInFlight: inFlight.map(({ stepId }) => stepId) };
    return { eventType: "RunTakenOver", attempt: (ordinals["RunTakenOver"] ?? 0) + 1, data };
  }

  #isRunner(stepId: string): boolean {
    return !CONTAINERS.has(indexPlan(this.#facts.workflow.plan).get(pathOf(stepId.replace(UNDO, "")))?.kind ?? "when");
  }

  /** One round: what happened goes on record, and what follows from it begins. */
  async #turn(): Promise<"done" | "again"> {
    this.#work.throwFault();
    await this.#lookAround();
    const { happened } = this.#work;
    const turn = this.#plan(happened);
    this.#work.forget(turn.dropped);
    if (turn.drafts.length > 0 && !(await this.#record(turn, happened))) return "again";
    if (isTerminal(this.#log.state.status)) return turn.drafts.length > 0 ? "done" : this.#park(null);
    this.#assertOwner(turn);
    if (this.#abandoned) return "done";
    for (const command of turn.commands) this.#work.begin(command, this.#log.state);
    if (this.#work.happened.length > 0 || this.#isBehind()) return "again";
    if (this.#work.inFlight === 0)
      return this.#park(this.#draining || this.#wantsSlot ? this.#facts.now() : turn.wakeAt);
    await this.#bell.rest(turn.wakeAt === null ? null : Math.max(0, turn.wakeAt - this.#facts.now()));
    return "again";
  }

  /** Somebody else may have written. What they ended is given up here. */
  async #lookAround(): Promise<void> {
    if (this.#isBehind()) {
      const woken = this.#woken;
      this.#work.lookAgain();
      await this.#log.catchUp();
      this.#seen = woken;
      this.#behind = false;
    }
    this.#work.follow(this.#log.state);
  }

  /**
   * Who has stood still for long finds steps of its successor in the log. They look like its own: they run. Nothing it
   * would append for them comes before their work, so that no fence stops it but this one.
   */
  #assertOwner({ commands }: Turn): void {
    const { runId, epoch } = this.#facts;
    const { steps, details } = this.#log.state;
    const running = commands.flatMap((command) => (command.type === "run" ? [steps.get(command.stepId)] : []));
    const latest = Math.max(details.leaseEpoch ?? 0, ...running.map((row) => Number(row?.engineAttemptId ?? 0)));
    if (latest > epoch) throw new StaleLeaseError(runId, epoch, latest);
  }

  #isBehind(): boolean {
    return this.#behind || this.#woken !== this.#seen;
  }

  #plan(happened: readonly EventDraft[]): Turn {
    this.#foresight.begin();
    const consider = (drafts: readonly EventDraft[]) => this.#withinSlot(this.#foresight.consider(drafts));
    const params = { plan: this.#facts.workflow.plan, happened, now: this.#facts.now(), consider };
    return this.#draining ? planLastTurn(params) : planTurn(params);
  }

  /** Q2: who was claimed outside the limits answers an operator, and waits for a slot like everybody. */
  #withinSlot(next: Considered): Considered {
    if (this.held.slot) return next;
    const commands = withoutSlot(next.state, next.commands);
    this.#wantsSlot = commands.length < next.commands.length;
    return { ...next, commands };
  }

  async #record(turn: Turn, happened: readonly EventDraft[]): Promise<boolean> {
    const recorded = await this.#append(turn.drafts);
    if (recorded !== "refused") this.#work.forget(happened);
    if (recorded === "next") this.#foresight.cameTrue();
    return recorded === "next";
  }

  async #append(drafts: readonly EventDraft[]): Promise<Recorded> {
    const { lastEventSeq } = this.#log.state;
    const recorded = await this.#log.append(drafts, this.#checkpointWanted);
    if (recorded !== "refused") this.#checkpointWanted = false;
    if (recorded !== "refused" || this.#log.state.lastEventSeq > lastEventSeq) return recorded;
    throw new Error(`The store refuses to append behind seq ${lastEventSeq} and has nothing to read there.`);
  }

  /** O2: only at the head that was folded, and with the wake-ups that were seen. What came in between is seen instead. */
  async #park(wakeAt: number | null): Promise<"done" | "again"> {
    const { store, runId, epoch } = this.#facts;
    const at = { workerId: this.#parts.workerId, runId, epoch, expectedSeq: this.#log.state.lastEventSeq };
    const until = { wakes: this.#seen, wakeAt: wakeAt === null ? null : new Date(wakeAt).toISOString() };
    const checkpoint = this.#log.checkpoint();
    try {
      await store.queue!.parkRun({ ...at, ...until, checkpoint });
      this.#facts.metrics?.checkpointSaved(checkpoint);
      return "done";
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      this.#behind = true;
      return "again";
    }
  }
}
