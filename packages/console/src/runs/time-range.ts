/** The time range of the page. It filters the list, the bars and the counts alike, so that they agree. */
import type { RunHistogramQuery } from "@runledger/client";
import type { Range, RunsSearch } from "./search.js";

export type Bucket = RunHistogramQuery["bucket"];

export interface TimeRange {
  /** Milliseconds since 1970, at the start of a bar. */
  readonly from: number;
  /** At the end of a bar. `null` for a range that ends now. */
  readonly to: number | null;
  readonly bucket: Bucket;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const BUCKETS: Readonly<Record<Bucket, number>> = { minute: MINUTE, hour: HOUR, day: DAY };
const RANGES: Readonly<Record<Range, number>> = {
  "1h": HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
  "1y": 365 * DAY,
  all: 990 * DAY, // a chart has at most 1,000 bars
};
/** A range that ends now is moved when the page has been open for this fraction of it. */
const MAX_DRIFT = 0.1;

/** Counters cannot divide a bar, so ranges start and end with one. */
export function rangeOf({ from, to, range = "24h" }: RunsSearch, now: number): TimeRange {
  const end = to === undefined ? now : Date.parse(to);
  const start = from === undefined ? end - RANGES[range] : Date.parse(from);
  return alignRange(start, to === undefined ? null : end, now);
}

export function alignRange(from: number, to: number | null, now: number): TimeRange {
  const bucket = bucketFor(from, to ?? now);
  const size = BUCKETS[bucket];
  return { from: Math.floor(from / size) * size, to: to === null ? null : Math.ceil(to / size) * size, bucket };
}

/** Returns `true` if the start of the range should follow the clock. */
export function hasDrifted(search: RunsSearch, { from }: TimeRange, now: number): boolean {
  if (search.from !== undefined || search.to !== undefined) return false;
  const length = RANGES[search.range ?? "24h"];
  return now - length - from > length * MAX_DRIFT;
}

/** Returns the finest bucket whose bars are still wide enough to tell apart. */
function bucketFor(from: number, to: number): Bucket {
  if (to - from <= 3 * HOUR) return "minute";
  return to - from <= 8 * DAY ? "hour" : "day";
}
