import type { RunHeader, StepSnapshot } from "./snapshot.js";

/** A projection: the header and the steps that were asked for, or that changed (F7). */
export interface Projection {
  readonly header: RunHeader;
  readonly steps: readonly StepRow[];
}

/** A step and its place in the run: the order in which steps were first named. */
export interface StepRow extends StepSnapshot {
  readonly ordinal: number;
}

/** Snapshots as a header row and a row per step, written for what changed (F7). */
export interface SnapshotStore {
  /** The stored header and the named steps of it; null = nothing is stored. */
  readProjection(params: { readonly runId: string; readonly stepIds: readonly string[] }): Promise<Projection | null>;
  /** Steps in order of their ordinal, above `afterOrdinal` (default -1), at most `limit` (default 1000). */
  listSteps(params: {
    readonly runId: string;
    readonly afterOrdinal?: number;
    readonly limit?: number;
  }): Promise<StepRow[]>;
  /**
   * Stores what changed since `readSeq`, the watermark that was read (0 = nothing was stored).
   * False = the stored watermark is another one by now, and nothing was written.
   */
  saveProjection(params: {
    readonly readSeq: number;
    readonly header: RunHeader;
    readonly steps: readonly StepRow[];
  }): Promise<boolean>;
  /** Throws the projection away; it can be rebuilt from the log. */
  deleteProjection(runId: string): Promise<void>;
}
