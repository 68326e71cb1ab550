/** What to do about an alert. */
const REMEDIES: Readonly<Record<string, string>> = {
  PROJECTOR_LAG_HIGH:
    "Start another process with the projector role, or look at how fast the database writes. What is shown is marked stale until it has caught up.",
  PROJECTOR_GAP_DETECTED:
    "Run `runledger store verify` for the run; what is behind the gap is not shown until it is mended.",
  CHECKPOINT_UNUSABLE: "Nothing is lost: the run was folded from its log. Look for workers of different versions.",
  CHECKPOINT_LARGE: "Keep less in the run's state, or put it into artifacts: every resume reads it.",
};

export function remedyOf(code: string): string {
  return REMEDIES[code] ?? "See the server's log.";
}
