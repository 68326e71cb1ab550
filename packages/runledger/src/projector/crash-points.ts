/** Places at which a projector may be killed; a test does so at each of them. */
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

/** Called when a place is reached. Nobody but a test listens. */
export type AtCrashPoint = (point: CrashPoint) => void | Promise<void>;
