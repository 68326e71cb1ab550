import type { Projection } from "./snapshot-store.js";

/**
 * Earlier versions of projections. They allow readers to show a run at any seq without folding its log from the start.
 * Keyframes are derived data and are deleted with the projection. A run gets one per fixed number of events, or per as
 * many events as it has steps if that is more, so that all keyframes together are not much larger than the log.
 */
export interface Keyframes {
  /** Saves the current projection of each run that has advanced far enough since its last keyframe. */
  makeKeyframes(runIds: readonly string[]): Promise<void>;
  /**
   * Returns the last keyframe up to a seq, with all its steps. Returns `null` if there is none: fold from the start.
   */
  loadKeyframe(params: { readonly runId: string; readonly atSeq: number }): Promise<Projection | null>;
  /** Returns the seqs of a run's keyframes, ascending. */
  listKeyframes(runId: string): Promise<readonly number[]>;
}
