import type { RunHeader, StepSnapshot } from "./snapshot.js";

/** A projection: the header, and the steps that were requested or that changed (F7). */
export interface Projection {
  readonly header: RunHeader;
  readonly steps: readonly StepRow[];
  /** Number of rebuilds. Absent if the projection was never rebuilt. */
  readonly generation?: number;
}

/** A step and its place in the run. Ordinals follow the order in which events first named the steps. */
export type StepRow = StepSnapshot & { readonly ordinal: number };

/** The changes that a projector has folded since the watermark that it read. */
export interface ProjectionChange {
  /**
   * The watermark that was read. 0 if nothing was stored. The store writes nothing if its watermark has changed since.
   */
  readonly readSeq: number;
  /**
   * Generation of the projection that was read; absent if it was never rebuilt. The store writes nothing if it was
   * rebuilt since.
   */
  readonly generation?: number;
  readonly header: RunHeader;
  /** The steps that changed. */
  readonly steps: readonly StepRow[];
}

/** Stores snapshots as a header row and one row per step, and writes only rows that changed (F7). */
export interface SnapshotStore {
  /** Returns the stored header and the named steps, or `null` if nothing is stored. */
  readProjection(params: { readonly runId: string; readonly stepIds: readonly string[] }): Promise<Projection | null>;
  /** Does the same for many runs and returns the results in the same order. */
  readProjections(
    params: readonly { readonly runId: string; readonly stepIds: readonly string[] }[],
  ): Promise<readonly (Projection | null)[]>;
  /** Lists runs whose header was saved with `stale`, by id, above `afterRunId`, at most `limit` (default 1000). */
  listStale(params?: { readonly afterRunId?: string; readonly limit?: number }): Promise<readonly string[]>;
  /** Lists steps by ordinal, above `afterOrdinal` (default -1), at most `limit` (default 1000). */
  listSteps(params: {
    readonly runId: string;
    readonly afterOrdinal?: number;
    readonly limit?: number;
  }): Promise<StepRow[]>;
  /** Saves a change together with its row of the run index. Returns `false` if nothing was written. */
  saveProjection(change: ProjectionChange): Promise<boolean>;
  /** Does the same for many runs, independently of each other. Takes at most one change per run. */
  saveProjections(changes: readonly ProjectionChange[]): Promise<readonly boolean[]>;
  /** Deletes the projection. It can be rebuilt from the log. */
  deleteProjection(runId: string): Promise<void>;
}
