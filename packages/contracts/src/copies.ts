import type { CanonicalEngineEvent } from "./event.js";
import type { QueuePlace } from "./run-queue.js";

/** Events of one run as another store numbered and dated them. */
export interface RunCopy {
  readonly runId: string;
  readonly tenantId: string;
  /** Where the copy ends so far: the head that the run must have here. 0 = there is nothing of it. */
  readonly afterSeq: number;
  /** The ones behind it, without a gap. */
  readonly events: readonly CanonicalEngineEvent[];
  /** Where the run stands in the queue at the end of these events. Null = it has ended, or never was in one. */
  readonly place: QueuePlace | null;
  /** The request that started it, so that the same one finds it here. Absent = it is not known. */
  readonly start?: { readonly startKey: string; readonly inputHash: string };
}

/**
 * Putting in what another store has recorded: numbers and times stay, and nothing is executed for it. For backups and
 * copies; whoever records what happens appends.
 */
export interface Copies {
  /**
   * Stores all of these, or none. Throws SEQ_MISMATCH where a run's head is not `afterSeq`: what an earlier copy stored
   * is not stored again.
   */
  writeCopies(copies: readonly RunCopy[]): Promise<void>;
}
