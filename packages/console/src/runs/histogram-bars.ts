import type { RunHistogram } from "@runledger/client";
import { runLook } from "../ui/status.js";
import { runStatuses, type RunStatus } from "./search.js";
import { BUCKETS, type Bucket } from "./time-range.js";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One bar. `left` and `width` are fractions of the chart width. */
export interface Bar {
  readonly at: string;
  readonly span: Span;
  readonly left: number;
  readonly width: number;
  readonly total: number;
  readonly parts: readonly { readonly status: RunStatus; readonly count: number }[];
}

/** Clips the first and the last bar to the span. */
export function toBars({ bars }: Pick<RunHistogram, "bars">, { from, to }: Span, bucket: Bucket): readonly Bar[] {
  const size = BUCKETS[bucket];
  const shareOf = (time: number): number => Math.min(1, Math.max(0, (time - from) / (to - from)));
  return bars.map(({ at, counts }) => {
    const start = Date.parse(at);
    const left = shareOf(start);
    const parts = runStatuses.map((status) => ({ status, count: counts[status] }));
    const width = shareOf(start + size) - left;
    return withTotal({ at, span: { from: start, to: start + size }, left, width, parts });
  });
}

/** Keeps the runs with these statuses. An empty list keeps all. */
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

export function countsOf(bars: readonly Bar[]): Readonly<Record<RunStatus, number>> {
  const all = bars.flatMap(({ parts }) => parts);
  const sum = (of: RunStatus): number =>
    all.reduce((total, { status, count }) => total + (status === of ? count : 0), 0);
  return Object.fromEntries(runStatuses.map((status) => [status, sum(status)])) as Record<RunStatus, number>;
}

/** `12 completed, 1 failed` */
export function totals(bars: readonly Bar[]): string {
  const counts = countsOf(bars);
  const parts = runStatuses.filter((status) => counts[status] > 0);
  if (parts.length === 0) return "none";
  return parts.map((status) => `${counts[status]} ${runLook(status).word.toLowerCase()}`).join(", ");
}
