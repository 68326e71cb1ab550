/**
 * Verdicts on signals (G1, P9). A sender judges a signal on the state that it has read, and the store records the verdict
 * only if it still holds. Stores that decide in SQL have the same conditions in their statements.
 */
import {
  SeqMismatchError,
  SignalLimitError,
  type CanonicalEngineEvent,
  type JudgedAt,
  type RunledgerError,
} from "@runledger/contracts";

/** The run under the lock of its head. */
export interface LockedRun {
  readonly runId: string;
  readonly headSeq: number;
  /** The events after the seq of the verdict. */
  readonly later: readonly Pick<CanonicalEngineEvent, "stepId">[];
  /** The time that the append would get, in milliseconds. */
  readonly persistedAt: number;
}

/** Returns why the store must refuse the append, or `null`. */
export function verdictRefusal({ seq, stepId, notBefore }: JudgedAt, run: LockedRun): RunledgerError | null {
  const isChanged = run.later.some((event) => event.stepId === undefined || event.stepId === stepId);
  if (isChanged) return new SeqMismatchError(run.runId, seq, run.headSeq);
  if (notBefore === undefined || run.persistedAt >= Date.parse(notBefore)) return null;
  return new SignalLimitError(run.runId, notBefore);
}
