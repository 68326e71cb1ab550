/** How fast runs begin of late: so many since then; what is older than half a minute counts for less and less. */
export interface Meter {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly starts: number;
}

const WINDOW_MS = 30_000;

export function advance(meter: Meter | undefined, starts: number, now: number): Meter {
  if (meter === undefined) return { since: now, starts };
  const kept = Math.min(1, WINDOW_MS / Math.max(1, now - meter.since));
  return { since: Math.max(meter.since, now - WINDOW_MS), starts: starts + meter.starts * kept };
}

export function perSecond({ since, starts }: Meter, now: number): number {
  return starts / Math.max(1, (now - since) / 1000);
}
