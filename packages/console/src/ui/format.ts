/** How times, durations and numbers are written, everywhere alike. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `850 ms`, `12.4 s`, `3 m 05 s`, `2 h 07 m`, `4 d 3 h`. */
export function duration(ms: number): string {
  const given = Math.max(0, ms);
  if (given < SECOND) return `${Math.round(given)} ms`;
  if (given < MINUTE) return `${(Math.floor(given / 100) / 10).toFixed(1)} s`;
  if (given < HOUR) return `${Math.floor(given / MINUTE)} m ${two(Math.floor((given % MINUTE) / SECOND))} s`;
  if (given < DAY) return `${Math.floor(given / HOUR)} h ${two(Math.floor((given % HOUR) / MINUTE))} m`;
  return `${Math.floor(given / DAY)} d ${Math.floor((given % DAY) / HOUR)} h`;
}

/** Coarse, for what is read at a glance: `12 s ago`, `in 3 h`. */
export function relative(at: string, now: number): string {
  const distance = now - Date.parse(at);
  const size = Math.abs(distance);
  if (size < 5 * SECOND) return distance < 0 ? "in a moment" : "just now";
  const text = coarse(size);
  return distance < 0 ? `in ${text}` : `${text} ago`;
}

/** Of what has happened: a clock that is a little ahead of the reader's makes nothing happen tomorrow. */
export function ago(at: string, now: number): string {
  return relative(at, Math.max(now, Date.parse(at)));
}

function coarse(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** The time of day, with the day in front of it where that is another one. */
export function moment(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clock.format(date);
  const format = date.getFullYear() === today.getFullYear() ? day : dayAndYear;
  return `${format.format(date)} ${clock.format(date).slice(0, 5)}`;
}

const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** Day, time and the zone that it is told in, for who wants to know exactly. Making a format anew for each takes longer than all the rest of a row. */
export function dayAndTime(at: string): string {
  return whole.format(new Date(at));
}

/** To the millisecond, as events are dated. */
export function exactTime(at: string): string {
  const date = new Date(at);
  return `${clock.format(date)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

const grouped = new Intl.NumberFormat("en-US");

export function count(value: number): string {
  return grouped.format(value);
}

/** `1 step`, `2 steps`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 ** 2).toFixed(1)} MB`;
}

/** As much of a run's id as tells it from others at a glance: the end, because ids that are made begin with the time. */
export function shortId(runId: string): string {
  return runId.length <= 12 ? runId : runId.slice(-8);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
