/**
 * Bringing the projections of some runs up to their logs.
 *  F7  What changed is written, conditional on the watermark that was read: whoever is late overwrites nothing, and two
 *      that do the same work do it once.
 */
import {
  RetryError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type ProjectionChange,
} from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";
import { KEYFRAME_EVERY } from "@runledger/core/store";
import type { AtCrashPoint } from "./crash-points.js";
import { foldTail, tailOf, type Gap, type Tail } from "./fold-tail.js";
import { RunCache, storedRun, unknownRun, type KnownRun } from "./run-cache.js";

/** How a run stands after a turn. */
export interface Projected {
  readonly runId: string;
  /** Those that were folded and saved. */
  readonly events: readonly CanonicalEngineEvent[];
  /** `behind`: there may be more; `gap`: it stands in front of one; `failed`: it could not be saved. */
  readonly outcome: "done" | "behind" | "conflict" | "gap" | "failed";
  readonly gap: Gap | null;
  readonly error?: unknown;
}

/** Events of one run that are folded in a turn: a long run does not make the others wait. */
const TURN = 500;

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

  /** One turn for each of the runs. Throws what the store says about itself, such as that it is away. */
  async project(runIds: readonly string[]): Promise<Projected[]> {
    const turns = await this.#begin(runIds);
    await this.#at("events-fetched");
    const changes = (await this.#withSteps(turns)).flatMap(toChange);
    await this.#at("folded");
    const saved = await this.#save(changes);
    await this.#at("projections-saved");
    await this.#keep(changes.filter((_, index) => saved[index] === true));
    const errors = new Map(changes.map(({ state }, index) => [state.runId, saved[index]]));
    for (const { state, turn } of changes) {
      if (errors.get(state.runId) === true) this.cache.put({ ...turn.run, state, isMarked: turn.tail.gap !== null });
      else this.cache.forget(state.runId);
    }
    return turns.map((turn) => projected(turn, errors.get(turn.run.state.runId) ?? null));
  }

  async #begin(runIds: readonly string[]): Promise<Turn[]> {
    const runs = await this.#known(runIds);
    await this.#at("projections-read");
    const watermarks = runs.map(({ state }) => ({ runId: state.runId, afterSeq: state.lastEventSeq }));
    const logs = await this.#store.feed.fetchRuns(watermarks, { limit: TURN });
    const settled = await this.#settled(runs, logs);
    return runs.map((run, index) => {
      const events = logs[index]!;
      const tail = tailOf(run.state.lastEventSeq, events, settled.get(run.state.runId) ?? 0);
      return { run, tail, isFull: events.length === TURN };
    });
  }

  async #known(runIds: readonly string[]): Promise<KnownRun[]> {
    const unknown = runIds.filter((runId) => this.cache.get(runId) === undefined);
    const stored = unknown.length === 0 ? [] : await this.#store.snapshots.readProjections(unknown.map(headerOnly));
    const read = new Map(stored.map((projection, index) => [unknown[index]!, projection]));
    return runIds.map((runId) => {
      const projection = read.get(runId);
      return this.cache.get(runId) ?? (projection ? storedRun(projection) : unknownRun(runId));
    });
  }

  /** Where the authority leaves gaps (P10): up to where they are known to stay. */
  async #settled(
    runs: readonly KnownRun[],
    logs: readonly (readonly CanonicalEngineEvent[])[],
  ): Promise<ReadonlyMap<string, number>> {
    if (this.#store.capabilities.contiguous) return new Map();
    const gapped = runs.filter(({ state }, index) => tailOf(state.lastEventSeq, logs[index]!, 0).gap !== null);
    const heads = await this.#store.fetchHeads(gapped.map(({ state }) => state.runId));
    return new Map(heads.map(({ runId, settledSeq = 0 }) => [runId, settledSeq]));
  }

  /** Whether a keyframe is due is the store's to say; it is asked when a run comes past some round number. */
  async #keep(saved: readonly Change[]): Promise<void> {
    const passed = saved.filter(({ state, change }) => {
      const [before, after] = [change.readSeq, state.lastEventSeq].map((seq) => Math.floor(seq / KEYFRAME_EVERY));
      return after! > before!;
    });
    if (passed.length > 0) await this.#store.keyframes.makeKeyframes(passed.map(({ state }) => state.runId));
  }

  /** With the rows of the steps that the events name (F4). */
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

  /** True = saved, false = another was first, anything else = why it cannot be. One that cannot be stops no other. */
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

/** A run that stands in front of a gap says so in its header, once, so that whoever takes over comes back to it. */
function toChange(turn: Turn): Change[] {
  const { run, tail } = turn;
  if (tail.events.length === 0 && (tail.gap === null || run.isMarked)) return [];
  const { state, changed } = foldTail(run.state, tail);
  if (state.lastEventSeq === 0) return []; // not even its first event is there: nothing to show yet
  const header = tail.gap === null ? toRunHeader(state) : { ...toRunHeader(state), stale: true };
  const read = { readSeq: run.state.lastEventSeq, generation: run.generation };
  return [{ turn, state, change: { ...read, header, steps: changed } }];
}

function projected({ run, tail, isFull }: Turn, saved: unknown): Projected {
  const { runId } = run.state;
  const none = { runId, events: [], gap: tail.gap };
  if (saved === false) return { ...none, outcome: "conflict" };
  if (saved !== true && saved !== null) return { ...none, outcome: "failed", error: saved };
  const outcome = tail.gap !== null ? "gap" : isFull ? "behind" : "done";
  return { runId, events: tail.events, gap: tail.gap, outcome };
}
