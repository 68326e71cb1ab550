/** Validates timing options and turns them into data. */
import { InputError, storableInstant, type ScheduleTiming } from "@runledger/contracts";
import { isTimeZone, parseDuration, type Duration } from "@runledger/core";
import { SHORTEST_INTERVAL_MS, timesOf } from "./cron-times.js";

/** When a schedule fires. Set exactly one of `cron`, `every` and `at`. */
export interface TimingOptions {
  /** A cron expression with five fields, six with seconds first, or seven with years last; or @daily and similar. */
  readonly cron?: string;
  /** The time zone of the expression, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
  /** A fixed interval, such as `15m`; at least one second. */
  readonly every?: Duration;
  /** The first tick of `every`. Default: 1970-01-01T00:00:00Z, so that `24h` fires at midnight UTC. */
  readonly from?: string | Date;
  /** Fires once, at this time. */
  readonly at?: string | Date;
}

export function readTiming(options: TimingOptions): ScheduleTiming {
  const given = (["cron", "every", "at"] as const).filter((name) => options[name] !== undefined);
  if (given.length !== 1)
    throw invalid("timing", `set exactly one of cron, every and at; got ${given.join(" and ") || "none"}.`);
  for (const [name, needs] of [
    ["timeZone", "cron"],
    ["from", "every"],
  ] as const)
    if (options[name] !== undefined && given[0] !== needs) throw invalid(name, `works only with ${needs}; remove it.`);
  if (options.cron !== undefined) return readCron(options.cron, options.timeZone ?? "UTC");
  if (options.every !== undefined) return readInterval(options.every, options.from ?? new Date(0));
  return { at: readInstant("at", options.at!) };
}

function readCron(cron: string, timeZone: string): ScheduleTiming {
  if (!isTimeZone(timeZone)) throw invalid("timeZone", "is not a time zone; use a name such as Europe/Berlin or UTC.");
  if (typeof cron !== "string" || /^\s*\d+-\d+-\d+/.test(cron))
    throw invalid("cron", `is not a cron expression; use one such as "0 2 * * *".`); // croner would accept a date
  const timing = { cron: cron.trim().replaceAll(/\s+/g, " "), timeZone };
  try {
    timesOf(timing);
  } catch (error) {
    throw invalid("cron", `${JSON.stringify(cron)} is not a cron expression: ${reasonOf(error)}`);
  }
  return timing;
}

/** Removes croner's class name, and values that croner counts from 0. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return `${message
    .replace(/^\w+: /, "")
    .replace(/^(Invalid value for \w+): -?\d+$/, "$1")
    .replace(/\.$/, "")}.`;
}

function readInterval(every: Duration, from: string | Date): ScheduleTiming {
  const everyMs = parseDuration(every);
  if (everyMs === null || everyMs < SHORTEST_INTERVAL_MS)
    throw invalid("every", `must be a duration from 1s to 36500d, such as "15m".`);
  return { everyMs, from: readInstant("from", from) };
}

/** Requires an offset in text, so that the time does not depend on the machine's zone. */
export function readInstant(field: string, value: string | Date): string {
  const isText = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value);
  const ms = isText || value instanceof Date ? new Date(value).getTime() : Number.NaN;
  const instant = storableInstant(ms);
  if (instant !== null) return instant;
  throw invalid(field, "must be a time with an offset in the years 1 to 9999, such as 2026-11-14T08:00:00Z.");
}

export function invalid(field: string, message: string): InputError {
  return new InputError("SCHEDULE_INVALID", field, message);
}
