import type { Checkpoint } from "./checkpoints.js";
import type { Json } from "./json.js";
import type { QueuePlace } from "./run-queue.js";
import type { RunHeader } from "./snapshot.js";
import type { Projection, StepRow } from "./snapshot-store.js";

/** Everything stored about one run besides its log, read in one transaction. A part that is not stored is `null`. */
export interface DerivedRun {
  readonly head: { readonly tenantId: string; readonly headSeq: number; readonly archived: boolean } | null;
  readonly header: RunHeader | null;
  /** All steps, by ordinal. */
  readonly steps: readonly StepRow[];
  readonly checkpoint: Checkpoint | null;
  readonly place: (QueuePlace & { readonly tenantId: string }) | null;
  /** The row of the run index, in the store's own format. */
  readonly indexRow: Json;
}

/** A complete projection, and the keyframes that lead to it. */
export interface Rebuilt {
  readonly header: RunHeader;
  /** All steps. */
  readonly steps: readonly StepRow[];
  readonly keyframes: readonly Projection[];
}

/** Reads and replaces derived data. `store verify` and `store rebuild` use it. */
export interface DerivedData {
  readDerived(runId: string): Promise<DerivedRun>;
  /** Returns the value that `indexRow` must have. */
  expectedIndexRow(header: RunHeader, tenantId: string): Json;
  /** Lists runs that have a projection, a step or an index row, by id, above `afterRunId`, at most `limit`. */
  listDerived(params: { readonly afterRunId: string; readonly limit: number }): Promise<readonly string[]>;
  /**
   * Replaces the stored projection atomically. Projectors that still hold the old one are refused. Returns `false`, and
   * writes nothing, if the stored projection is now further ahead in the log.
   */
  replaceProjection(rebuilt: Rebuilt): Promise<boolean>;
  /**
   * Returns the numbers of the events whose content is no longer the one that was appended, as far as the store can know.
   * Only a backup has the original (F6).
   */
  changedEvents(runId: string): Promise<readonly number[]>;
  /** Returns the number of counters that disagree with the rows of the run index. */
  wrongCounts(): Promise<number>;
  /** Recomputes the counters from the rows of the run index. */
  recount(): Promise<void>;
}
