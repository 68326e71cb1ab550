/** What an engine resumes from (C1). The store keeps the latest one of each run and does not look inside. */
export interface Checkpoint {
  readonly runId: string;
  /** The last seq that was folded *before* the append that saves it, never the seq it will get (C2). */
  readonly seq: number;
  /** Format version of `data`; an unknown one means full replay (C3). */
  readonly format: number;
  readonly data: string;
  /** SHA-256 of `data`, lower-case hex (C3). */
  readonly checksum: string;
}

/** Checkpoints are written by `appendEvents` alone; here they are read. */
export interface Checkpoints {
  /** Null = none was saved. */
  loadCheckpoint(runId: string): Promise<Checkpoint | null>;
}
