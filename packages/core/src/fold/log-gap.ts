import { LogGapError, type CanonicalEngineEvent, type LogGap } from "@runledger/contracts";

/** Events of a log up to its first gap. */
export interface LogPrefix {
  readonly events: readonly CanonicalEngineEvent[];
  /** `null` if nothing is missing between the events. */
  readonly gap: LogGap | null;
}

/**
 * Returns the events that a reader at `afterSeq` may apply (F6). Every reader of a log uses this function or `assertNext`.
 * @param settledSeq Missing numbers up to here will never be filled (P10).
 */
export function beforeGap(afterSeq: number, events: readonly CanonicalEngineEvent[], settledSeq = 0): LogPrefix {
  let last = afterSeq;
  const end = events.findIndex(({ runSeq }) => {
    if (runSeq > last + 1 && runSeq - 1 > settledSeq) return true;
    last = Math.max(last, runSeq);
    return false;
  });
  if (end < 0) return { events, gap: null };
  return { events: events.slice(0, end), gap: { from: last + 1, to: events[end]!.runSeq - 1 } };
}

/** Throws LOG_GAP if events are missing between `lastSeq` and an event of the log. */
export function assertNext(runId: string, lastSeq: number, runSeq: number): void {
  if (runSeq > lastSeq + 1) throw new LogGapError(runId, { from: lastSeq + 1, to: runSeq - 1 });
}

/** Throws LOG_GAP if the last events that the run's head counts are missing. */
export function assertComplete(runId: string, lastSeq: number, headSeq: number): void {
  assertNext(runId, lastSeq, headSeq + 1);
}
