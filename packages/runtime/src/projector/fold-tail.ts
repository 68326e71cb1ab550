/**
 * Folds the events of a run after its watermark.
 *  F4  Reads and changes only the header and the steps that the events name.
 *  F6  Never folds past a gap that may still fill.
 */
import type { CanonicalEngineEvent, LogGap, StepRow } from "@runledger/contracts";
import { beforeGap, evolveAll, namedSteps, type RunState } from "@runledger/core";

export interface Tail {
  /** The events up to the first gap. */
  readonly events: readonly CanonicalEngineEvent[];
  readonly stepIds: readonly string[];
  readonly gap: LogGap | null;
  /** `true` if later events were left out because the earlier ones name many steps. */
  readonly isCut: boolean;
}

/** Steps of one run that a turn loads, give or take the steps of one event. */
const MAX_NAMES = 10_000;

/**
 * Stops early if the events name too many steps: the rest is for the next turn.
 * @param settledSeq Missing numbers up to here will never be filled (P10).
 */
export function tailOf(afterSeq: number, events: readonly CanonicalEngineEvent[], settledSeq: number): Tail {
  const { events: applicable, gap } = beforeGap(afterSeq, events, settledSeq);
  const stepIds = new Set<string>();
  for (const [index, event] of applicable.entries()) {
    if (stepIds.size > MAX_NAMES)
      return { events: applicable.slice(0, index), stepIds: [...stepIds], gap: null, isCut: true };
    for (const stepId of namedSteps(event)) stepIds.add(stepId);
  }
  return { events: applicable, stepIds: [...stepIds], gap, isCut: false };
}

/** A log that ends before its head has lost its last events: that is a gap, too. */
export function withLostEnd(afterSeq: number, tail: Tail, headSeq: number): Tail {
  const last = tail.events.at(-1)?.runSeq ?? afterSeq;
  return tail.gap !== null || last >= headSeq ? tail : { ...tail, gap: { from: last + 1, to: headSeq } };
}

/** Returns the folded state and the step rows that changed. */
export function foldTail(state: RunState, { events, stepIds }: Tail): { state: RunState; changed: StepRow[] } {
  const before = stepIds.map((stepId) => state.steps.get(stepId));
  const next = evolveAll(state, events);
  const rows = stepIds.map((stepId) => next.steps.get(stepId));
  const changed = rows.filter((row, index) => row !== undefined && row !== before[index]) as StepRow[];
  return { state: next, changed };
}
