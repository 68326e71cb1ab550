import type { RunHistogram, RunHistogramQuery } from "@runledger/client";
import { runLook } from "../ui/status.js";
import { runStatuses, type Range, type RunsSearch, type RunStatus } from "./search.js";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One column; `left` and `width` are shares of the whole. */
export interface Bar {
  readonly at: string;
  readonly span: Span;
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
const RANGES: Readonly<Record<Range, number>> = {
  "1h": HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
  "1y": 365 * DAY,
};

export function spanOf({ from, to, range = "24h" }: RunsSearch, now: number): Span {
  const end = to === undefined ? now : Date.parse(to);
  return { from: from === undefined ? end - RANGES[range] : Date.parse(from), to: end };
}

/** As fine as it can be with bars that can still be told apart. */
export function bucketFor({ from, to }: Span): Bucket {
  if (to - from <= 3 * HOUR) return "minute";
  return to - from <= 8 * DAY ? "hour" : "day";
}

/** The first and the last bar may reach beyond what was asked for; there they are cut. */
export function toBars({ bars }: RunHistogram, { from, to }: Span, bucket: Bucket): readonly Bar[] {
  const size = BUCKETS[bucket];
  const shareOf = (time: number): number => Math.min(1, Math.max(0, (time - from) / (to - from)));
  return bars.map(({ at, counts }) => {
    const begin = Date.parse(at);
    const left = shareOf(begin);
    const parts = runStatuses.map((status) => ({ status, count: counts[status] }));
    const width = shareOf(begin + size) - left;
    return withTotal({ at, span: { from: begin, to: begin + size }, left, width, parts });
  });
}

/** None chosen = all are. */
export function ofStatuses(bars: readonly Bar[], chosen: readonly RunStatus[]): readonly Bar[] {
  if (chosen.length === 0) return bars;
  const some = bars.map((bar) =>
    withTotal({ ...bar, parts: bar.parts.filter(({ status }) => chosen.includes(status)) }),
  );
  return some.filter(({ total }) => total > 0);
}

function withTotal({ parts, ...bar }: Omit<Bar, "total">): Bar {
  const shown = parts.filter(({ count }) => count > 0);
  return { ...bar, parts: shown, total: shown.reduce((sum, { count }) => sum + count, 0) };
}

/** `12 completed, 1 failed` */
export function totals(bars: readonly Bar[]): string {
  const all = bars.flatMap(({ parts }) => parts);
  const said = runStatuses.flatMap((status) => {
    const sum = all.reduce((total, part) => total + (part.status === status ? part.count : 0), 0);
    return sum === 0 ? [] : [`${sum} ${runLook(status).word.toLowerCase()}`];
  });
  return said.length === 0 ? "none" : said.join(", ");
}
