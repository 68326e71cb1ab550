import type { Projection } from "./snapshot-store.js";

/**
 * Projections as they were, now and then, so that a run can be shown as it was known at any seq without folding it from
 * its beginning. Derived: thrown away with the projection. A run has one for every so many events, and at least as many
 * as it has steps, so that all of them together are never much longer than the log.
 */
export interface Keyframes {
  /** Keeps the projections of those of the runs that have come far enough since their last keyframe, as they stand. */
  makeKeyframes(runIds: readonly string[]): Promise<void>;
  /** The last one up to a seq, with all its steps; null = there is none: fold from the beginning. */
  loadKeyframe(params: { readonly runId: string; readonly atSeq: number }): Promise<Projection | null>;
  /** The seqs of a run's keyframes, ascending. */
  listKeyframes(runId: string): Promise<readonly number[]>;
}
