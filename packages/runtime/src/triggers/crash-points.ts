/** Points at which tests kill a consumer. */
export const crashPoints = ["event-received", "run-started", "rejection-saved"] as const;

/** Called when a consumer reaches a crash point. Only tests pass one. */
export type AtCrashPoint = (point: (typeof crashPoints)[number]) => void | Promise<void>;
