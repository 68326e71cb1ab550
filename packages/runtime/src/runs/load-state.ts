import {
  LogGapError,
  RunNotFoundError,
  type CanonicalEngineEvent,
  type RunHead,
  type StateStore,
} from "@runledger/contracts";
import { evolve, fromCheckpoint, initialState, type RunState } from "@runledger/core";
import { wholeLog } from "./settled-log.js";

/** Folds a run's log, from its checkpoint if there is one. Throws LOG_GAP if the log has lost events (F6). */
export async function loadState(store: StateStore, runId: string): Promise<RunState> {
  const { state, gap } = await foldToGap(store, runId);
  if (gap !== null) throw gap;
  return state;
}

/** The same for a decision: on a store that leaves gaps, it settles them up to the head (P10). */
export async function loadToDecide(store: StateStore, runId: string): Promise<RunState> {
  const { state, gap } = await foldToGap(store, runId, (afterSeq) => wholeLog(store, runId, afterSeq));
  if (gap !== null) throw gap;
  return state;
}

/** A run as far as its log is intact. */
export interface IntactState {
  readonly state: RunState;
  /** `false` if the log has lost later events, or if some may still appear before others (P10). */
  readonly isWhole: boolean;
}

/** Folds a run's log up to its first gap, for readers that show it (F6). Throws LOG_GAP if nothing is left to show. */
export async function loadIntact(store: StateStore, { runId, headSeq }: RunHead): Promise<IntactState> {
  const { state, gap } = await foldToGap(store, runId);
  const isWhole = gap === null && state.lastEventSeq >= headSeq;
  return { state, isWhole };
}

async function foldToGap(
  store: StateStore,
  runId: string,
  read: (afterSeq: number) => AsyncIterable<CanonicalEngineEvent> = (afterSeq) =>
    store.streamEvents(runId, { afterSeq }),
): Promise<{ state: RunState; gap: LogGapError | null }> {
  const checkpoint = (await store.checkpoints?.loadCheckpoint(runId)) ?? null;
  const folded = { state: (checkpoint === null ? null : fromCheckpoint(checkpoint)) ?? initialState(runId) };
  try {
    for await (const event of read(folded.state.lastEventSeq)) folded.state = evolve(folded.state, event);
  } catch (error) {
    if (!(error instanceof LogGapError) || folded.state.lastEventSeq === 0) throw error;
    return { ...folded, gap: error };
  }
  if (folded.state.lastEventSeq === 0) throw new RunNotFoundError(runId);
  return { ...folded, gap: null };
}
