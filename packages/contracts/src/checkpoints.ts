/** The state that an engine resumes from (C1). The store keeps the latest one of each run and does not interpret it. */
export interface Checkpoint {
  readonly runId: string;
  /**
   * The last seq folded *before* the append that saves the checkpoint, never the seq which that append will get (C2).
   */
  readonly seq: number;
  /** Format version of `data`. A worker that does not know it replays the log (C3). */
  readonly format: number;
  readonly data: string;
  /** SHA-256 of `data`, lower-case hex (C3). */
  readonly checksum: string;
}

/** Reads checkpoints. Only `appendEvents` writes them. */
export interface Checkpoints {
  /** Returns `null` if the run has no checkpoint. */
  loadCheckpoint(runId: string): Promise<Checkpoint | null>;
}
