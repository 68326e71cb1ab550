/**
 * Measures the recent start rate: `starts` runs started since `since`. The weight of starts older than half a minute
 * decays.
 */
export interface StartRate {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly starts: number;
}

const WINDOW_MS = 30_000;

export function countStarts(rate: StartRate | undefined, starts: number, now: number): StartRate {
  if (rate === undefined) return { since: now, starts };
  const kept = Math.min(1, WINDOW_MS / Math.max(1, now - rate.since));
  return { since: Math.max(rate.since, now - WINDOW_MS), starts: starts + rate.starts * kept };
}

export function startsPerSecond({ since, starts }: StartRate, now: number): number {
  return starts / Math.max(1, (now - since) / 1000);
}
