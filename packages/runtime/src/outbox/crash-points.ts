/** Points at which tests kill an outbox process. */
export const crashPoints = [
  "feed-read",
  "changes-recorded",
  "cursor-saved",
  "claimed",
  "events-fetched",
  "published",
  "outcomes-saved",
] as const;

/** Called when the outbox reaches a crash point. Only tests pass one. */
export type AtCrashPoint = (point: (typeof crashPoints)[number]) => void | Promise<void>;
