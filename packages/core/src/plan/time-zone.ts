/** Days in a time zone. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone) ?? newFormat(timeZone);
  formats.set(timeZone, known);
  return known;
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
  const number = "2-digit";
  const time = { hour: number, minute: number, second: number, hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en", { timeZone, year: "numeric", month: number, day: number, ...time });
}

const ZONE = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;

/** Accepts names only: not every supported version of Node understands offsets. */
export function isTimeZone(name: unknown): boolean {
  if (typeof name !== "string" || !ZONE.test(name)) return false;
  try {
    return newFormat(name).format(0) !== "";
  } catch {
    return false;
  }
}

/** Returns the day that the zone has at a time, such as `2026-01-31`. */
export function dayOf(ms: number, timeZone: string): string {
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 10);
}

/**
 * Returns the first moment of a day. If the clock skips midnight, that is the moment after the jump. If midnight occurs
 * twice, it is the first one.
 */
export function startOfDay(day: string, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00Z`);
  const around = [midnight - DAY, midnight + DAY].map((ms) => midnight - offsetAt(ms, timeZone));
  const starts = around.filter((ms) => dayOf(ms, timeZone) === day);
  return starts.length === 0 ? Math.max(...around) : Math.min(...starts);
}

/** Milliseconds that the clocks of the zone are ahead of UTC. */
function offsetAt(ms: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = parts;
  const shown = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return shown - Math.floor(ms / 1000) * 1000;
}
