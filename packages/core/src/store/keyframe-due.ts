/** Shorter runs have none: they are folded in no time. */
export const KEYFRAME_EVERY = 500;

/** As many events as there are steps, at least: keyframes of a run together are no longer than its log. */
export function isKeyframeDue({ lastEventSeq, stepCount }: { lastEventSeq: number; stepCount: number }, last: number) {
  return lastEventSeq - last >= Math.max(KEYFRAME_EVERY, stepCount);
}
