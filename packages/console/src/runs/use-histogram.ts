import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { countsOf, toBars, type Bar, type Span } from "./histogram-bars.js";
import { filterOf, type RunsSearch, type RunStatus } from "./search.js";
import type { TimeRange } from "./time-range.js";

interface Counted {
  readonly span: Span;
  readonly bars: readonly Bar[];
  readonly counts: Readonly<Record<RunStatus, number>>;
  /** `false` if only the newest runs were counted. */
  readonly isComplete: boolean;
}

/** Bars and counts come from one response, so that they agree. Statuses are not filtered: each has its own count. */
export function useHistogram(search: RunsSearch, range: TimeRange): { data: Counted | undefined; isError: boolean } {
  const filter = filterOf(search);
  return useQuery({
    queryKey: ["run-histogram", filter, range],
    queryFn: async () => {
      const span = { from: range.from, to: range.to ?? Date.now() };
      const iso = {
        from: new Date(span.from).toISOString(),
        to: new Date(span.to + (range.to === null ? 1 : 0)).toISOString(),
      };
      const histogram = await client.runHistogram({ ...iso, bucket: range.bucket, ...filter });
      const bars = toBars(histogram, span, range.bucket);
      return { span, bars, counts: countsOf(bars), isComplete: histogram.complete };
    },
    refetchInterval: 5_000,
    placeholderData: (known: Counted | undefined) => known,
  });
}
