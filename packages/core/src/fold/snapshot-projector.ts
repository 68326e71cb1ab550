/**
 * Folds logs that may be read in parts and with gaps.
 *  F6  A reader never advances past a gap that may still fill: it stops before the gap and sets `stale`.
 */
import type { CanonicalEngineEvent, RunSnapshot, SnapshotProjector } from "@runledger/contracts";
import { evolve } from "./evolve.js";
import { initialState, type RunState } from "./run-state.js";
import { fromRunSnapshot, toRunSnapshot } from "./to-run-snapshot.js";

export function createSnapshotProjector(): SnapshotProjector {
  return {
    projectRun: async (runId, events) => project(initialState(runId), events),
    incrementalProject: async (snapshot, newEvents) => project(fromRunSnapshot(snapshot), newEvents),
    detectGaps: async (lastSeq, nextSeq) => ({ hasGap: hasGap(lastSeq, nextSeq) }),
  };
}

function project(state: RunState, events: readonly CanonicalEngineEvent[]): RunSnapshot {
  let current = state;
  for (const event of inOrder(events)) {
    if (hasGap(current.lastEventSeq, event.runSeq)) return Object.freeze({ ...toRunSnapshot(current), stale: true });
    current = evolve(current, event);
  }
  return toRunSnapshot(current);
}

function hasGap(lastSeq: number, nextSeq: number): boolean {
  return nextSeq > lastSeq + 1;
}

function inOrder(events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
  return [...events].sort((a, b) => a.runSeq - b.runSeq);
}
