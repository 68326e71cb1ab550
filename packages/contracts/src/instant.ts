/** The last time that stores can keep. */
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
const FIRST = Date.parse("0001-01-01T00:00:00.000Z");

/** Returns an ISO 8601 time, or `null` if stores cannot keep it: they support the years 1 to 9999. */
export function storableInstant(ms: number): string | null {
  return ms >= FIRST && ms <= LAST ? new Date(ms).toISOString() : null;
}

/** Returns an ISO 8601 time. A time after the year 9999 becomes the last moment of it. */
export function cappedInstant(ms: number): string {
  return new Date(Math.min(ms, LAST)).toISOString();
}
