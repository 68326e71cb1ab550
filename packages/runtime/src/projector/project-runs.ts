/**
 * Brings the projections of some runs up to their logs.
 *  F7  Writes only what changed, conditional on the watermark that was read. A late projector overwrites nothing, and two
 *      projectors that do the same work save it once.
 */
import {
  InputError,
  RetryError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type LogGap,
  type ProjectionChange,
} from "@runledger/contracts";
import { isTerminal, toRunHeader, type RunState } from "@runledger/core";
import { KEYFRAME_EVERY, MAX_STATE_BYTES } from "@runledger/core/store";
import { fetchTails } from "../feed/fetch-tails.js";
import { isUnavailable } from "../time/retry.js";
import type { AtCrashPoint } from "./crash-points.js";
import { datasetRecords } from "./dataset-records.js";
import { foldTail, tailOf, withLostEnd, type Tail } from "./fold-tail.js";
import { RunCache, storedRun, unknownRun, type KnownRun } from "./run-cache.js";

/** The outcome of one turn for one run. */
export interface Projected {
  readonly runId: string;
  /** The events that were folded and saved. */
  readonly events: readonly CanonicalEngineEvent[];
  /** `behind`: there may be more events; `gap`: stopped before a gap; `failed`: it cannot be read, folded or saved. */
  readonly outcome: "done" | "behind" | "conflict" | "gap" | "failed";
  readonly gap: LogGap | null;
  readonly error?: unknown;
}

/** Events of one run folded per turn, so that a long run does not delay the others. */
const TURN = 500;

/** Runs that are tried before the store counts as at fault. */
const OTHERS = 10;

interface Turn {
  readonly run: KnownRun;
  readonly tail: Tail;
  readonly isFull: boolean;
}

interface Change {
  readonly turn: Turn;
  readonly state: RunState;
  readonly change: ProjectionChange;
}

export class RunProjector {
  readonly cache = new RunCache();
  readonly #store: FullStateStore;
  readonly #at: AtCrashPoint;

  constructor(store: FullStateStore, at: AtCrashPoint = () => {}) {
    this.#store = store;
    this.#at = at;
  }

  /**
   * Projects up to one turn of events for each run. Throws store-wide errors, such as STORE_UNAVAILABLE. Bisects a batch that
   * fails otherwise, so that a run that cannot be projected does not stop the others.
   * @param heads The least number of events that the log of each run must have.
   */
  async project(runIds: readonly string[], heads: ReadonlyMap<string, number>): Promise<Projected[]> {
    const results = await this.#projectApart(runIds, heads);
    const failed = results.filter(({ outcome }) => outcome === "failed");
    const isAll = failed.length === runIds.length && failed.length > 1;
    if (isAll && !(await this.#canSaveOthers(runIds))) throw failed[0]!.error; // not the fault of these runs
    for (const { runId } of failed) await this.#markStale(runId);
    return results;
  }

  /**
   * Saves the projection of another run as it is. If that fails too, or there is no other run, the store is at fault, and
   * the changes must be read again.
   */
  async #canSaveOthers(runIds: readonly string[]): Promise<boolean> {
    const { snapshots } = this.#store;
    const heads = await this.#store.listHeads({ limit: runIds.length + OTHERS });
    const others = heads.map(({ runId }) => runId).filter((runId) => !runIds.includes(runId));
    for (const runId of others.slice(0, OTHERS)) {
      try {
        const stored = await snapshots.readProjection(headerOnly(runId));
        if (stored === null) continue;
        const { header, generation = 0 } = stored;
        await snapshots.saveProjection({ readSeq: header.lastEventSeq, generation, header, steps: [] });
        return true;
      } catch (error) {
        if (isUnavailable(error)) throw error;
      }
    }
    return false;
  }

  async #projectApart(runIds: readonly string[], heads: ReadonlyMap<string, number>): Promise<Projected[]> {
    try {
      return await this.#projectTogether(runIds, heads);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (runIds.length === 1) return [this.#failed(runIds[0]!, error)];
      const half = runIds.length >> 1;
      const first = await this.#projectApart(runIds.slice(0, half), heads);
      return [...first, ...(await this.#projectApart(runIds.slice(half), heads))];
    }
  }

  #failed(runId: string, error: unknown): Projected {
    this.cache.forget(runId);
    return { runId, events: [], outcome: "failed", gap: null, error };
  }

  /** Marks the stored header, so that readers see it and the next owner of the partition retries the run. */
  async #markStale(runId: string): Promise<void> {
    const { snapshots } = this.#store;
    try {
      const stored = await snapshots.readProjection(headerOnly(runId));
      if (stored === null || stored.header.stale === true) return;
      const { header, generation = 0 } = stored;
      await snapshots.saveProjection({
        readSeq: header.lastEventSeq,
        generation,
        header: { ...header, stale: true },
        steps: [],
      });
    } catch (error) {
      if (isUnavailable(error)) throw error; // any other error has the same cause as the failure
    }
  }

  async #projectTogether(runIds: readonly string[], heads: ReadonlyMap<string, number>): Promise<Projected[]> {
    const turns = await this.#loadTurns(runIds, heads);
    await this.#at("events-fetched");
    const changes = (await this.#withSteps(turns)).flatMap(toChange);
    await this.#at("folded");
    await this.#recordDatasets(changes);
    const saved = await this.#save(changes);
    await this.#at("projections-saved");
    await this.#makeKeyframes(changes.filter((_, index) => saved[index] === true));
    const errors = new Map(changes.map(({ state }, index) => [state.runId, saved[index]]));
    for (const { state, turn, change } of changes) {
      if (errors.get(state.runId) !== true) this.cache.forget(state.runId);
      else this.cache.put(projectedRun(turn, state), change.steps);
    }
    return turns.map((turn) => projected(turn, errors.get(turn.run.state.runId) ?? null));
  }

  async #loadTurns(runIds: readonly string[], heads: ReadonlyMap<string, number>): Promise<Turn[]> {
    const { contiguous } = this.#store.capabilities;
    const runs = await this.#loadKnown(runIds, heads);
    await this.#at("projections-read");
    const watermarks = runs.map(({ state: { runId, lastEventSeq } }) => {
      return { runId, afterSeq: lastEventSeq, headSeq: heads.get(runId) ?? 0 };
    });
    const found = await fetchTails(this.#store, watermarks, TURN);
    const settled = await this.#settled(
      runs,
      found.map(({ events }) => events),
    );
    // Read again after what is settled: an event may have been stored, and its number settled, in between (P10).
    const logs = settled.size === 0 ? found : await fetchTails(this.#store, watermarks, TURN);
    return runs.map((run, index) => {
      const { events, isFull: hasMore } = logs[index]!;
      const tail = tailOf(run.state.lastEventSeq, events, settled.get(run.state.runId) ?? 0);
      const isFull = hasMore || tail.isCut;
      if (isFull || !contiguous) return { run, tail, isFull };
      return { run, tail: withLostEnd(run.state.lastEventSeq, tail, heads.get(run.state.runId) ?? 0), isFull };
    });
  }

  async #loadKnown(runIds: readonly string[], heads: ReadonlyMap<string, number>): Promise<KnownRun[]> {
    const cached = (runId: string): KnownRun | undefined => {
      const run = this.cache.get(runId);
      return run === undefined || mayBeRestored(run, heads.get(runId) ?? 0) ? undefined : run;
    };
    const unknown = runIds.filter((runId) => cached(runId) === undefined);
    const stored = unknown.length === 0 ? [] : await this.#store.snapshots.readProjections(unknown.map(headerOnly));
    const read = new Map(stored.map((projection, index) => [unknown[index]!, projection]));
    return runIds.map((runId) => {
      const projection = read.get(runId);
      return cached(runId) ?? (projection ? storedRun(projection) : unknownRun(runId));
    });
  }

  /** The settled sequence numbers of runs with gaps, for append authorities that leave gaps (P10). */
  async #settled(
    runs: readonly KnownRun[],
    logs: readonly (readonly CanonicalEngineEvent[])[],
  ): Promise<ReadonlyMap<string, number>> {
    if (this.#store.capabilities.contiguous) return new Map();
    const gapped = runs.filter(({ state }, index) => tailOf(state.lastEventSeq, logs[index]!, 0).gap !== null);
    const heads = gapped.length === 0 ? [] : await this.#store.fetchHeads(gapped.map(({ state }) => state.runId));
    return new Map(heads.flatMap(({ runId, settledSeq }) => (settledSeq === undefined ? [] : [[runId, settledSeq]])));
  }

  /** Before the watermark moves, so that a crash loses none. They are safe to record again. */
  async #recordDatasets(changes: readonly Change[]): Promise<void> {
    const { datasets } = this.#store;
    if (datasets === undefined) return;
    const records = changes.flatMap(({ turn, state }) => datasetRecords(state, turn.tail.events));
    if (records.length > 0) await datasets.recordDatasets(records);
  }

  /** Offers keyframes to the store for runs that crossed an interval. The store decides which are due. */
  async #makeKeyframes(saved: readonly Change[]): Promise<void> {
    const passed = saved.filter(({ state, change }) => {
      const [before, after] = [change.readSeq, state.lastEventSeq].map((seq) => Math.floor(seq / KEYFRAME_EVERY));
      return after! > before!;
    });
    if (passed.length > 0) await this.#store.keyframes.makeKeyframes(passed.map(({ state }) => state.runId));
  }

  /** Loads the rows of the steps that the events name (F4). */
  async #withSteps(turns: readonly Turn[]): Promise<Turn[]> {
    const missing = turns.flatMap(({ run, tail }) => {
      const { runId, steps } = run.state;
      const stepIds = run.complete ? [] : tail.stepIds.filter((stepId) => steps.get(stepId) === undefined);
      return stepIds.length === 0 ? [] : [{ runId, stepIds }];
    });
    if (missing.length === 0) return [...turns];
    const stored = await this.#store.snapshots.readProjections(missing);
    const rows = new Map(missing.map(({ runId }, index) => [runId, stored[index]?.steps ?? []]));
    return turns.map((turn) => {
      const { state } = turn.run;
      let { steps } = state;
      for (const row of rows.get(state.runId) ?? []) steps = steps.with(row);
      return { ...turn, run: { ...turn.run, state: { ...state, steps } } };
    });
  }

  /**
   * Saves the changes. Each result is `true` if saved, `false` if another projector saved first, or else the error.
   * Bisects a failing batch, so that one bad run does not block the others.
   */
  async #save(changes: readonly Change[]): Promise<unknown[]> {
    if (changes.length === 0) return [];
    try {
      return [...(await this.#store.snapshots.saveProjections(changes.map(({ change }) => change)))];
    } catch (error) {
      if (error instanceof RetryError) throw error;
      if (changes.length === 1) return [error];
      const half = changes.length >> 1;
      return [...(await this.#save(changes.slice(0, half))), ...(await this.#save(changes.slice(half)))];
    }
  }
}

const headerOnly = (runId: string) => ({ runId, stepIds: [] });

/** A finished run without new events may have been deleted and imported again. Its projection must be read. */
function mayBeRestored({ state }: KnownRun, headSeq: number): boolean {
  return isTerminal(state.status) && headSeq <= state.lastEventSeq;
}

/** Marks a run before a gap as stale in its header, once, so that the next owner of the partition retries it. */
function toChange(turn: Turn): Change[] {
  const { run, tail } = turn;
  if (tail.events.length === 0 && run.isMarked === (tail.gap !== null)) return [];
  const { state, changed } = foldTail(run.state, tail);
  if (state.userState !== run.state.userState) assertStateFits(state);
  if (state.lastEventSeq === 0) return []; // the first event is missing: nothing to show yet
  const header = tail.gap === null ? toRunHeader(state) : { ...toRunHeader(state), stale: true };
  const read = { readSeq: run.state.lastEventSeq, generation: run.generation };
  return [{ turn, state, change: { ...read, header, steps: changed } }];
}

/**
 * Our engine keeps the state of a run below its limit. A log of another engine may not, and every turn saves the whole
 * state. Steps that finish together may exceed the limit a little.
 */
function assertStateFits({ userState }: RunState): void {
  const bytes = userState === undefined ? 0 : JSON.stringify(userState).length;
  if (bytes > 2 * MAX_STATE_BYTES)
    throw new InputError("PAYLOAD_TOO_LARGE", "state", `has ${bytes} bytes; the limit is ${MAX_STATE_BYTES}.`);
}

function projectedRun({ run, tail }: Turn, state: RunState): KnownRun {
  const last = tail.events.at(-1);
  return { ...run, state, isMarked: tail.gap !== null, ...(last === undefined ? {} : { lastEventId: last.eventId }) };
}

function projected({ run, tail, isFull }: Turn, saved: unknown): Projected {
  const { runId } = run.state;
  const none = { runId, events: [], gap: tail.gap };
  if (saved === false) return { ...none, outcome: "conflict" };
  if (saved !== true && saved !== null) return { ...none, outcome: "failed", error: saved };
  const outcome = tail.gap !== null ? "gap" : isFull ? "behind" : "done";
  return { runId, events: tail.events, gap: tail.gap, outcome };
}
