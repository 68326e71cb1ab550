/**
 * Folding what a log holds behind a watermark.
 *  F4  Only the header and the steps that the events name are needed, and only they change.
 *  F6  Never past a gap that may still fill.
 */
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";
import { evolveAll, namedSteps, type RunState } from "@runledger/core";

/** Numbers that are not there, although later ones are. */
export interface Gap {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

export interface Tail {
  /** What can be applied: up to the first gap. */
  readonly events: readonly CanonicalEngineEvent[];
  readonly stepIds: readonly string[];
  readonly gap: Gap | null;
}

/** `settledSeq`: numbers up to here that are missing will never come (P10). */
export function tailOf(afterSeq: number, events: readonly CanonicalEngineEvent[], settledSeq: number): Tail {
  let last = afterSeq;
  const end = events.findIndex(({ runSeq }) => {
    if (runSeq > last + 1 && runSeq - 1 > settledSeq) return true;
    last = runSeq;
    return false;
  });
  const applicable = end < 0 ? events : events.slice(0, end);
  const stepIds = [...new Set(applicable.flatMap(namedSteps))];
  return { events: applicable, stepIds, gap: end < 0 ? null : { from: last + 1, to: events[end]!.runSeq - 1 } };
}

/** The state afterwards, and the rows that differ. */
export function foldTail(state: RunState, { events, stepIds }: Tail): { state: RunState; changed: StepRow[] } {
  const before = stepIds.map((stepId) => state.steps.get(stepId));
  const next = evolveAll(state, events);
  const rows = stepIds.map((stepId) => next.steps.get(stepId));
  const changed = rows.filter((row, index) => row !== undefined && row !== before[index]) as StepRow[];
  return { state: next, changed };
}
