/**
 * The times of a schedule. croner knows what a cron expression means in a place: a time that the clock jumps over comes
 * right after the jump, a fixed time that the clock shows twice comes once, and what repeats within the hour goes on
 * through it. Times are milliseconds since 1970.
 */
import { Cron } from "croner";
import type { ScheduleTiming } from "@runledger/contracts";

/** The first time after `after`; null = there is none. */
export type Times = (after: number) => number | null;

/** Throws what croner throws about an expression that is none. */
export function timesOf(timing: ScheduleTiming): Times {
  if ("cron" in timing) {
    const crons = asFixedTimes(timing.cron).map((cron) => new Cron(cron, { timezone: timing.timeZone, paused: true }));
    return (after) => earliest(crons.map((cron) => cron.nextRun(new Date(after))));
  }
  if ("at" in timing) return (after) => (Date.parse(timing.at) > after ? Date.parse(timing.at) : null);
  const from = Date.parse(timing.from);
  return (after) => (after < from ? from : from + (Math.floor((after - from) / timing.everyMs) + 1) * timing.everyMs);
}

/**
 * croner knows a fixed time by its single hour and minute, and takes `0 2,14 * * *` for an interval: on the day without
 * a 02:00 there would be none. So each of a few listed times becomes an expression of its own.
 */
function asFixedTimes(cron: string): string[] {
  const fields = cron.split(" ");
  const at = fields.length === 5 ? 0 : 1;
  const [minutes, hours] = [fields[at], fields[at + 1]].map((field) =>
    /^\d+(,\d+)*$/.test(field ?? "") ? field!.split(",") : [],
  );
  const times = hours!.flatMap((hour) => minutes!.map((minute) => [minute, hour]));
  if (times.length === 0 || times.length > MOST_FIXED) return [cron];
  return times.map((time) =>
    fields
      .with(at, time[0]!)
      .with(at + 1, time[1]!)
      .join(" "),
  );
}

const MOST_FIXED = 24;

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

/** The first times of a range, ascending. */
export function firstTimes(times: Times, { from, upTo, limit }: Range): number[] {
  const found: number[] = [];
  for (let time = times(from - 1); time !== null && time <= upTo && found.length < limit; time = times(time))
    found.push(time);
  return found;
}

const MINUTE = 60_000;

/** The last times of a range, ascending; looks back twice as far each time, because there may be millions. */
export function lastTimes(times: Times, { from, upTo, limit }: Range): number[] {
  for (let back = MINUTE; ; back *= 2) {
    const start = Math.max(from, upTo - back);
    const found = lastWithin(times, { from: start, upTo, limit });
    if (found.length >= limit || start === from) return found;
  }
}

/** Where there are many more than wanted, the earlier half is looked at only if the later one has too few. */
function lastWithin(times: Times, { from, upTo, limit }: Range): number[] {
  const most = 2 * limit + 1;
  const found = firstTimes(times, { from, upTo, limit: most });
  if (found.length < most) return found.slice(-limit);
  const middle = Math.floor((from + upTo) / 2);
  const later = lastWithin(times, { from: middle + 1, upTo, limit });
  if (later.length >= limit) return later;
  return [...lastWithin(times, { from, upTo: middle, limit: limit - later.length }), ...later];
}
