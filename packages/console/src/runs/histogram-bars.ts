import type { RunHistogram, RunHistogramQuery } from "@runledger/client";
import { runStatuses, type Range, type RunsSearch, type RunStatus } from "./search.js";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One column; `left` and `width` are shares of the whole. */
export interface Bar {
  readonly at: string;
  readonly left: number;
  readonly width: number;
  readonly total: number;
  readonly parts: readonly { readonly status: RunStatus; readonly count: number }[];
}

type Bucket = RunHistogramQuery["bucket"];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BUCKETS: Readonly<Record<Bucket, number>> = { minute: MINUTE, hour: HOUR, day: DAY };
const RANGES: Readonly<Record<Range, number>> = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY };

export function spanOf({ from, to, range = "24h" }: RunsSearch, now: number): Span {
  const end = to === undefined ? now : Date.parse(to);
  return { from: from === undefined ? end - RANGES[range] : Date.parse(from), to: end };
}

/** As fine as it can be with bars that can still be told apart. */
export function bucketFor({ from, to }: Span): Bucket {
  if (to - from <= 3 * HOUR) return "minute";
  return to - from <= 8 * DAY ? "hour" : "day";
}

export function toBars({ bars }: RunHistogram, { from, to }: Span, bucket: Bucket): readonly Bar[] {
  const size = BUCKETS[bucket];
  const begin = Math.floor(from / size) * size;
  const length = Math.ceil(to / size) * size - begin;
  return bars.map(({ at, counts }) => {
    const parts = runStatuses.map((status) => ({ status, count: counts[status] })).filter(({ count }) => count > 0);
    return {
      at,
      left: (Date.parse(at) - begin) / length,
      width: size / length,
      total: parts.reduce((sum, { count }) => sum + count, 0),
      parts,
    };
  });
}
