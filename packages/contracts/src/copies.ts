import type { CanonicalEngineEvent } from "./event.js";
import type { QueuePlace } from "./run-queue.js";

/** Events of one run, with the numbers and times that another store assigned. */
export interface RunCopy {
  readonly runId: string;
  readonly tenantId: string;
  /** The head that the run must have in this store. 0 if the store has no event of the run. */
  readonly afterSeq: number;
  /** The events after `afterSeq`, without a gap. */
  readonly events: readonly CanonicalEngineEvent[];
  /** The run's place in the queue after these events. `null` if the run has finished or was never queued. */
  readonly place: QueuePlace | null;
  /** The request that started the run, so that a repeated request finds it. Absent if the request is unknown. */
  readonly start?: { readonly startKey: string; readonly inputHash: string };
}

/**
 * Imports events that another store recorded, for backups and copies. Numbers and times are kept, and nothing is
 * executed. To record new events, append them.
 */
export interface Copies {
  /**
   * Stores all copies, or none. Throws SEQ_MISMATCH if a run's head is not `afterSeq`, so that a repeated copy is not
   * stored twice.
   */
  writeCopies(copies: readonly RunCopy[]): Promise<void>;
}
