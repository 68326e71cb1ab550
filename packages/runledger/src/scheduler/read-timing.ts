/** What a user says about when, checked, as data. */
import { InputError, type ScheduleTiming } from "@runledger/contracts";
import { parseDuration, type Duration } from "@runledger/core";
import { timesOf } from "./times.js";

/** One of `cron`, `every` and `at`. */
export interface TimingOptions {
  /** Five fields; six with seconds in front, seven with years at the end; or @daily and the like. */
  readonly cron?: string;
  /** Whose clock the expression is about, as in `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
  /** A fixed distance, as in `15m`; at least a second. */
  readonly every?: Duration;
  /** The first time of `every`. Default: 1970 began in UTC, so that `24h` is midnight. */
  readonly from?: string | Date;
  /** Once. */
  readonly at?: string | Date;
}

const SECOND = 1000;
const ZONE = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;

export function readTiming(options: TimingOptions): ScheduleTiming {
  const said = (["cron", "every", "at"] as const).filter((name) => options[name] !== undefined);
  if (said.length !== 1)
    throw invalid("timing", `say one of cron, every and at; it has ${said.join(" and ") || "none"}.`);
  for (const [name, needs] of [
    ["timeZone", "cron"],
    ["from", "every"],
  ] as const)
    if (options[name] !== undefined && said[0] !== needs) throw invalid(name, `belongs to ${needs}; take it away.`);
  if (options.cron !== undefined) return readCron(options.cron, options.timeZone ?? "UTC");
  if (options.every !== undefined) return readInterval(options.every, options.from ?? new Date(0));
  return { at: readInstant("at", options.at!) };
}

function readCron(cron: string, timeZone: string): ScheduleTiming {
  if (!isZone(timeZone)) throw invalid("timeZone", "is no time zone; write its name, as in Europe/Berlin or UTC.");
  if (typeof cron !== "string" || /^\s*\d+-\d+-\d+/.test(cron))
    throw invalid("cron", `is no cron expression; write one as in "0 2 * * *".`); // croner would take a date
  const timing = { cron: cron.trim().replaceAll(/\s+/g, " "), timeZone };
  try {
    timesOf(timing);
  } catch (error) {
    throw invalid("cron", `${JSON.stringify(cron)} is no cron expression: ${reasonOf(error)}`);
  }
  return timing;
}

/** Without the name of a class of croner's, and without values that it counts from 0. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return `${message
    .replace(/^\w+: /, "")
    .replace(/^(Invalid value for \w+): -?\d+$/, "$1")
    .replace(/\.$/, "")}.`;
}

/** A name, because offsets are not understood by every Node. */
function isZone(name: unknown): boolean {
  if (typeof name !== "string" || !ZONE.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

function readInterval(every: Duration, from: string | Date): ScheduleTiming {
  const everyMs = parseDuration(every);
  if (everyMs === null || everyMs < SECOND)
    throw invalid("every", `must be a duration of a second or more, as in "15m".`);
  return { everyMs, from: readInstant("from", from) };
}

/** A text must say its offset: what it means must not depend on the machine that reads it. */
export function readInstant(field: string, value: string | Date): string {
  const isText = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value);
  const ms = isText || value instanceof Date ? new Date(value).getTime() : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw invalid(field, "must be a time with its offset, as in 2026-11-14T08:00:00Z.");
}

export function invalid(field: string, message: string): InputError {
  return new InputError("SCHEDULE_INVALID", field, message);
}
