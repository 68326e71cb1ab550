/**
 * The log of a run that this worker owns: loads it, reads what others appended, and appends.
 *  O2  A decision is made on the fold of everything up to the head: after each append the first seq must be the next
 *      one. If it is not, the worker reads what came in between before it decides again.
 *  C2  A checkpoint is saved with an append that crosses a multiple of the interval, and labeled with what was folded
 *      before it.
 */
import {
  SeqMismatchError,
  type AppendOptions,
  type AppendResult,
  type CanonicalEngineEvent,
  type Checkpoint,
  type NewEvent,
} from "@runledger/contracts";
import {
  assertComplete,
  fromCheckpoint,
  isTerminal,
  toCheckpoint,
  untakenSignals,
  type EventDraft,
  type RunState,
} from "@runledger/core";
import { wholeLog } from "../runs/settled-log.js";
import type { RunEnd } from "../runs/run-end.js";
import { appendParts } from "./append-parts.js";
import { LateAppend } from "./budget/write-budget.js";
import { assertNotLost } from "./lost-events.js";
import type { Alert, RunContext } from "./run-context.js";
import type { SpeculativeRun } from "./speculative-run.js";

/** Events between two checkpoints, unless the worker has another interval. */
const INTERVAL = 100;
/** Checkpoints with more characters than this raise an alert. */
const LARGE = 100 * 1024;
const ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);

/**
 * `late`: not confirmed within the budget (B1). It may be stored later; wait for `answered` before you rely on the log.
 * `next`: stored directly after what was folded.
 * `elsewhere`: stored, but after events of others, or by an earlier try. The fold is current; decide again.
 * `refused`: not stored. The fold is current; decide again.
 */
export type AppendOutcome = "next" | "elsewhere" | "refused" | "late";

export class RunLog {
  readonly #context: RunContext;
  readonly #run: SpeculativeRun;
  readonly #warned = new Set<Alert["code"]>();
  /** The event with which this worker ended the run. `null` if the run is open, or another writer ended it. */
  #end: CanonicalEngineEvent | null = null;
  #answered: Promise<void> = Promise.resolve();

  constructor(context: RunContext, run: SpeculativeRun) {
    this.#context = context;
    this.#run = run;
  }

  /** Resolves once the last append has an answer, also if it was late. */
  get answered(): Promise<void> {
    return this.#answered;
  }

  /** How the run ended. `null` if it did not end here. */
  get end(): RunEnd | null {
    const { recentEvents } = this.#context;
    const { state } = this.#run;
    const isOver = this.#end !== null && recentEvents !== undefined && isTerminal(state.status);
    return isOver ? { state, event: this.#end!, recentEvents } : null;
  }

  /**
   * Folds the whole log, from its checkpoint if there is one. Keeps the run's input only. Throws LOG_GAP if the log has
   * lost events: a worker would repeat the steps that they completed (F6).
   */
  async load(headSeq = 0): Promise<void> {
    const started = performance.now();
    const checkpoint = await this.#restore();
    const restored = checkpoint === "restored";
    const from = this.#run.state.lastEventSeq - (restored ? 1 : 0); // the last event of a checkpoint is a parent (N5)
    const events = await this.#readOn((event) => event.eventType === "RunQueued", from);
    assertComplete(this.#context.runId, this.#run.state.lastEventSeq, headSeq);
    if (checkpoint === "missing") this.#reportMissing();
    this.#context.metrics?.replayed({ fromCheckpoint: restored, events, ms: performance.now() - started });
  }

  /** Loads a log that held only this event when the run was claimed. Reads nothing. */
  loadFirst(event: CanonicalEngineEvent): void {
    this.#run.fold(event);
    this.#context.recentEvents?.add(event);
    this.#context.metrics?.replayed({ fromCheckpoint: false, events: 1, ms: 0 });
  }

  /** Reads and folds what was appended since. */
  async catchUp(): Promise<void> {
    await this.#readOn(() => true);
  }

  async #readOn(
    isKept: (event: CanonicalEngineEvent) => boolean,
    afterSeq = this.#run.state.lastEventSeq,
  ): Promise<number> {
    const { store, runId, recentEvents } = this.#context;
    const { lastEventSeq } = this.#run.state;
    for await (const event of wholeLog(store, runId, afterSeq)) {
      this.#run.fold(event);
      if (isKept(event)) recentEvents?.add(event);
    }
    return this.#run.state.lastEventSeq - lastEventSeq;
  }

  /**
   * A store may limit the events of one call. More of them are appended one part after the other: each part leads to a state
   * from which any worker can decide the rest.
   */
  async append(drafts: readonly EventDraft[], withCheckpoint: boolean): Promise<AppendOutcome> {
    const parts = appendParts(drafts, this.#context.store.capabilities);
    for (const part of parts.slice(0, -1)) {
      const outcome = await this.#appendPart(part, withCheckpoint);
      if (outcome !== "next") return outcome === "late" ? "late" : "refused"; // the others are not stored
    }
    return this.#appendPart(parts.at(-1)!, withCheckpoint);
  }

  async #appendPart(drafts: readonly EventDraft[], withCheckpoint: boolean): Promise<AppendOutcome> {
    const { lastEventSeq } = this.#run.state;
    const options = this.#options(drafts, withCheckpoint);
    const started = performance.now();
    try {
      const results = await this.#send(this.#run.eventsOf(drafts), options);
      this.#context.metrics?.appended({ events: drafts.length, ms: performance.now() - started });
      if (options.checkpoint !== undefined) this.#context.metrics?.checkpointSaved(options.checkpoint);
      const next = results.every(({ runSeq, idempotent }, i) => !idempotent && runSeq === lastEventSeq + 1 + i);
      if (next) this.#commit(drafts);
      else await this.catchUp();
      return next ? "next" : "elsewhere";
    } catch (error) {
      if (error instanceof LateAppend) return this.#late(error);
      if (!(error instanceof SeqMismatchError)) throw error;
      assertNotLost(error);
      await this.catchUp();
      return "refused";
    }
  }

  /** Makes every append of this run. */
  #send(events: readonly NewEvent[], options: AppendOptions): Promise<readonly AppendResult[]> {
    const { store, budget, runId } = this.#context;
    const append = (): Promise<readonly AppendResult[]> => store.appendEvents(events, options);
    return budget === undefined ? append() : budget.within(runId, append);
  }

  #late({ answered }: LateAppend): "late" {
    this.#answered = answered;
    return "late";
  }

  /** Makes a checkpoint of what is folded now. */
  checkpoint(): Checkpoint {
    const state = this.#run.compact();
    const checkpoint = toCheckpoint(state);
    if (checkpoint.data.length > LARGE) this.#warn("CHECKPOINT_LARGE", largeText(checkpoint, state));
    return checkpoint;
  }

  /** The first owner of a run does not look for a checkpoint. */
  async #restore(): Promise<"restored" | "unusable" | "missing" | "not needed"> {
    const { store, runId, epoch } = this.#context;
    if (epoch === 1 || store.checkpoints === undefined) return "not needed";
    const checkpoint = await store.checkpoints.loadCheckpoint(runId);
    if (checkpoint === null) return "missing";
    const state = fromCheckpoint(checkpoint);
    if (state !== null) this.#run.restore(state);
    else this.#warn("CHECKPOINT_UNUSABLE", `cannot be used; its log is replayed.`);
    return state !== null ? "restored" : "unusable";
  }

  /**
   * A run that was driven for two intervals has saved a checkpoint (C3). One interval is not enough: the append that
   * finishes a run saves none, and the run may be reopened.
   */
  #reportMissing(): void {
    if (this.#run.state.lastEventSeq < 2 * this.#interval) return;
    const what = `is missing, although workers save one every ${this.#interval} events; its log is replayed.`;
    this.#warn("CHECKPOINT_MISSING", what);
  }

  get #interval(): number {
    return this.#context.checkpointInterval ?? INTERVAL;
  }

  /** Alerts once per code and run. */
  #warn(code: Alert["code"], what: string): void {
    const { runId, alert } = this.#context;
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    alert?.({ code, runId, message: `The checkpoint of run ${runId} at seq ${this.#run.state.lastEventSeq} ${what}` });
  }

  /** Alerts if the run finished before its steps have taken all accepted signals: their senders expect an effect. */
  #reportUntaken(): void {
    const { runId, alert } = this.#context;
    const { status, details } = this.#run.state;
    const untaken = untakenSignals({ status, signals: details.signals });
    if (untaken === null) return;
    const message = `Run ${runId} finished before its steps took all accepted signals. Untaken: ${untaken}.`;
    alert?.({ code: "SIGNALS_UNTAKEN", runId, message });
  }

  #commit(drafts: readonly EventDraft[]): void {
    const events = this.#run.commit(drafts);
    const isOver = isTerminal(this.#run.state.status);
    if (isOver) this.#end = events.findLast(({ eventType }) => ENDS.has(eventType)) ?? null;
    if (isOver) this.#reportUntaken();
    for (const event of events) this.#context.recentEvents?.add(event);
  }

  /**
   * Every append expects the head that was folded (O2). So an append that got no answer, and arrives after others that
   * were sent in its place, is refused.
   */
  #options(drafts: readonly EventDraft[], withCheckpoint: boolean): AppendOptions {
    const { lastEventSeq, details } = this.#run.state;
    const ends = isTerminal(this.#run.stateAfter(drafts).status);
    const placeOf = (seq: number): number => Math.floor(seq / this.#interval);
    const crosses = placeOf(lastEventSeq + drafts.length) > placeOf(lastEventSeq);
    return {
      fence: this.#context.epoch,
      expectedSeq: lastEventSeq,
      ...(ends ? { ends, wakes: details.parent === undefined ? [] : [details.parent.runId] } : {}),
      ...(!ends && (crosses || withCheckpoint) ? { checkpoint: this.checkpoint() } : {}),
    };
  }
}

/** Names the part that makes a checkpoint large, because each part has another remedy. */
function largeText({ data }: Checkpoint, { userState, steps }: RunState): string {
  const inState = JSON.stringify(userState ?? null).length;
  const is = `is ${kilobytes(data.length)}`;
  if (2 * inState > data.length)
    return `${is}; the run's state has ${kilobytes(inState)} of it. Keep less in the state.`;
  const rows = steps.parts().rows.length;
  return `${is}, because it lists ${rows} steps: those that are unfinished, opened a container, wrote artifacts or needed a second attempt. Move parts of the run into child runs.`;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KB`;
}
