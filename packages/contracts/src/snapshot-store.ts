import type { RunHeader, StepSnapshot } from "./snapshot.js";

/** A projection: the header and the steps that were asked for, or that changed (F7). */
export interface Projection {
  readonly header: RunHeader;
  readonly steps: readonly StepRow[];
  /** How often it was rebuilt; absent = never. */
  readonly generation?: number;
}

/** A step and its place in the run: the order in which steps were first named. */
export interface StepRow extends StepSnapshot {
  readonly ordinal: number;
}

/** What a projector has folded since the watermark that it read. */
export interface ProjectionChange {
  /** 0 = nothing was stored. Nothing is written where the stored watermark is another one by now. */
  readonly readSeq: number;
  /** Of the projection that was read. Nothing is written where it was rebuilt meanwhile. Absent = it never was. */
  readonly generation?: number;
  readonly header: RunHeader;
  /** Those that changed. */
  readonly steps: readonly StepRow[];
}

/** Snapshots as a header row and a row per step, written for what changed (F7). */
export interface SnapshotStore {
  /** The stored header and the named steps of it; null = nothing is stored. */
  readProjection(params: { readonly runId: string; readonly stepIds: readonly string[] }): Promise<Projection | null>;
  /** The same for many runs, in the order in which they were asked for. */
  readProjections(
    params: readonly { readonly runId: string; readonly stepIds: readonly string[] }[],
  ): Promise<readonly (Projection | null)[]>;
  /** Runs whose header was saved with `stale`, by id, above `afterRunId`, at most `limit` (default 1000). */
  listStale(params?: { readonly afterRunId?: string; readonly limit?: number }): Promise<readonly string[]>;
  /** Steps in order of their ordinal, above `afterOrdinal` (default -1), at most `limit` (default 1000). */
  listSteps(params: {
    readonly runId: string;
    readonly afterOrdinal?: number;
    readonly limit?: number;
  }): Promise<StepRow[]>;
  /** Stores a change, and what the run index says of the run with it. False = nothing was written. */
  saveProjection(change: ProjectionChange): Promise<boolean>;
  /** The same for many runs, each for itself; at most one change of a run. */
  saveProjections(changes: readonly ProjectionChange[]): Promise<readonly boolean[]>;
  /** Throws the projection away; it can be rebuilt from the log. */
  deleteProjection(runId: string): Promise<void>;
}
