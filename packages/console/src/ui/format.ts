/** Formats times, durations and numbers the same way on all pages. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `850 ms`, `12.4 s`, `3 m 05 s`, `2 h 07 m`, `4 d 3 h`. */
export function duration(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < SECOND) return `${Math.round(positive)} ms`;
  if (positive < MINUTE) return `${(Math.floor(positive / 100) / 10).toFixed(1)} s`;
  if (positive < HOUR) return `${Math.floor(positive / MINUTE)} m ${two(Math.floor((positive % MINUTE) / SECOND))} s`;
  if (positive < DAY) return `${Math.floor(positive / HOUR)} h ${two(Math.floor((positive % HOUR) / MINUTE))} m`;
  return `${Math.floor(positive / DAY)} d ${Math.floor((positive % DAY) / HOUR)} h`;
}

/** `12 s ago`, `in 3 h`. */
export function relative(at: string, now: number): string {
  const distance = now - Date.parse(at);
  const size = Math.abs(distance);
  if (size < 5 * SECOND) return distance < 0 ? "in a moment" : "just now";
  const text = coarse(size);
  return distance < 0 ? `in ${text}` : `${text} ago`;
}

/** Like `relative`, but never in the future: the server's clock may be ahead of the reader's. */
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

/** The time of day. The day comes first if it is not today. */
export function moment(at: string, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clock.format(date);
  const format = date.getFullYear() === today.getFullYear() ? day : dayAndYear;
  return `${format.format(date)} ${clock.format(date).slice(0, 5)}`;
}

/** Day and time in a time zone, with its name: `14 Nov 02:00 Europe/Berlin`. The default zone is UTC. */
export function zonedTime(at: string, timeZone = "UTC", now = Date.now()): string {
  const date = new Date(at);
  const isThisYear = date.getUTCFullYear() === new Date(now).getUTCFullYear();
  const parts = { day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" as const }) } as const;
  const days = new Intl.DateTimeFormat("en-GB", { ...parts, timeZone });
  const clocks = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
  return `${days.format(date)} ${clocks.format(date)} ${timeZone}`;
}

const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** Day, time and time zone. The format is shared: creating one per row takes longer than rendering the row. */
export function dayAndTime(at: string): string {
  return whole.format(new Date(at));
}

/** The time of day with milliseconds. */
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

/** The last characters of a run id. Generated ids start with the time, so their beginnings are alike. */
export function shortId(runId: string): string {
  return runId.length <= 12 ? runId : runId.slice(-8);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
