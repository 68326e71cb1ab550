/** Shorter runs have no keyframe, because folding them is fast. */
export const KEYFRAME_EVERY = 500;

/**
 * A keyframe is due after at least as many events as there are steps, so that all keyframes of a run are not longer
 * than its log.
 */
export function isKeyframeDue({ lastEventSeq, stepCount }: { lastEventSeq: number; stepCount: number }, last: number) {
  return lastEventSeq - last >= Math.max(KEYFRAME_EVERY, stepCount);
}
