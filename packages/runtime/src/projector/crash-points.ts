/** Points at which tests kill a projector. */
export const crashPoints = [
  "feed-read",
  "projections-read",
  "events-fetched",
  "folded",
  "projections-saved",
  "page-projected",
  "cursors-saved",
] as const;

type CrashPoint = (typeof crashPoints)[number];

/** Called when the projector reaches a crash point. Only tests pass one. */
export type AtCrashPoint = (point: CrashPoint) => void | Promise<void>;

/** Options for tests. */
export interface CrashPointOptions {
  /** Called at each crash point. */
  readonly at?: AtCrashPoint;
}
