import type { Checkpoint } from "./checkpoints.js";
import type { Json } from "./json.js";
import type { QueuePlace } from "./run-queue.js";
import type { RunHeader } from "./snapshot.js";
import type { Projection, StepRow } from "./snapshot-store.js";

/** What is stored about one run besides its log, as one moment had it. Null = nothing is. */
export interface DerivedRun {
  readonly head: { readonly tenantId: string; readonly headSeq: number; readonly archived: boolean } | null;
  readonly header: RunHeader | null;
  /** All of them, by ordinal. */
  readonly steps: readonly StepRow[];
  readonly checkpoint: Checkpoint | null;
  readonly place: (QueuePlace & { readonly tenantId: string }) | null;
  /** The row of the run index, in the store's own words. */
  readonly indexRow: Json;
}

/** A whole projection, and keyframes on the way to it. */
export interface Rebuilt {
  readonly header: RunHeader;
  /** All of them. */
  readonly steps: readonly StepRow[];
  readonly keyframes: readonly Projection[];
}

/** For those who prove that what is derived is right, or make it anew: `store verify` and `store rebuild`. */
export interface DerivedData {
  readDerived(runId: string): Promise<DerivedRun>;
  /** What `indexRow` has to be. */
  expectedIndexRow(header: RunHeader, tenantId: string): Json;
  /** Runs of which a projection, a step or a row of the index is stored, by id, above `afterRunId`, at most `limit`. */
  listDerived(params: { readonly afterRunId: string; readonly limit: number }): Promise<readonly string[]>;
  /**
   * Puts this in the place of whatever is stored, at once: readers see the one or the other. Projectors that still
   * remember the old one are refused. False = what is stored has come further in the log by now; nothing was written.
   */
  replaceProjection(rebuilt: Rebuilt): Promise<boolean>;
  /** How many counters of the run index are not what its rows say. */
  wrongCounts(): Promise<number>;
  /** Counts the rows of the run index again. */
  recount(): Promise<void>;
}
