/**
 * Computes the times of a schedule, as milliseconds since 1970. croner handles time zones: a time that the clock skips
 * fires right after the jump, a fixed time that occurs twice fires once, and an interval within the hour fires through
 * both.
 */
import { Cron } from "croner";
import { storableInstant, type ScheduleTiming } from "@runledger/contracts";

/** Returns the first time after `after`, or `null` if there is none. */
export type Times = (after: number) => number | null;

/** A schedule that fired more often would do nothing else. */
export const SHORTEST_INTERVAL_MS = 1000;

/** Throws croner's error for an invalid expression, and a `RangeError` for an interval that is too short. */
export function timesOf(timing: ScheduleTiming): Times {
  if ("cron" in timing) {
    const crons = asFixedTimes(timing.cron).map((cron) => new Cron(cron, { timezone: timing.timeZone, paused: true }));
    return (after) => earliest(crons.map((cron) => cron.nextRun(new Date(after))));
  }
  if ("at" in timing) return (after) => (Date.parse(timing.at) > after ? Date.parse(timing.at) : null);
  const { everyMs } = timing;
  if (!(everyMs >= SHORTEST_INTERVAL_MS))
    throw new RangeError(`The interval of ${everyMs} ms is shorter than a second.`);
  const from = Date.parse(timing.from);
  return (after) => (after < from ? from : storable(from + (Math.floor((after - from) / everyMs) + 1) * everyMs));
}

/** A schedule has no times after the year 9999, because no store can keep them. */
function storable(time: number): number | null {
  return storableInstant(time) === null ? null : time;
}

/**
 * Splits a list of fixed times into one expression per time. croner treats `0 2,14 * * *` as an interval and would fire
 * nothing on a day without 02:00; it treats a single hour and minute as a fixed time.
 */
function asFixedTimes(cron: string): string[] {
  const fields = cron.split(" ");
  const at = fields.length === 5 ? 0 : 1;
  const [minutes, hours] = [fields[at], fields[at + 1]].map((field) =>
    /^\d+(,\d+)*$/.test(field ?? "") ? field!.split(",") : [],
  );
  const times = hours!.flatMap((hour) => minutes!.map((minute) => [minute, hour]));
  if (times.length === 0 || times.length > MAX_FIXED_TIMES) return [cron];
  return times.map((time) =>
    fields
      .with(at, time[0]!)
      .with(at + 1, time[1]!)
      .join(" "),
  );
}

const MAX_FIXED_TIMES = 24;

function earliest(dates: readonly (Date | null)[]): number | null {
  const times = dates.filter((date) => date !== null).map((date) => date.getTime());
  return times.length === 0 ? null : Math.min(...times);
}

interface Range {
  readonly from: number;
  /** Inclusive. */
  readonly upTo: number;
  readonly limit: number;
}

/** Returns the first times of a range, ascending. */
export function firstTimes(times: Times, { from, upTo, limit }: Range): number[] {
  const found: number[] = [];
  for (let time = times(from - 1); time !== null && time <= upTo && found.length < limit;) {
    found.push(time);
    time = times(time);
  }
  return found;
}

const MINUTE = 60_000;

/** Returns the last times of a range, ascending. Doubles how far it looks back each time: a range may have millions. */
export function lastTimes(times: Times, { from, upTo, limit }: Range): number[] {
  for (let back = MINUTE; ; back *= 2) {
    const start = Math.max(from, upTo - back);
    const found = lastWithin(times, { from: start, upTo, limit });
    if (found.length >= limit || start === from) return found;
  }
}

/** Searches the later half first, and the earlier half only if that has too few times. */
function lastWithin(times: Times, { from, upTo, limit }: Range): number[] {
  const most = 2 * limit + 1;
  const found = firstTimes(times, { from, upTo, limit: most });
  if (found.length < most) return found.slice(-limit);
  const middle = Math.floor((from + upTo) / 2);
  const later = lastWithin(times, { from: middle + 1, upTo, limit });
  if (later.length >= limit) return later;
  return [...lastWithin(times, { from, upTo: middle, limit: limit - later.length }), ...later];
}
