/** Counts runs by reading their index rows, for filters that the counters do not support. */
import {
  runStatuses,
  type HistogramBar,
  type HistogramBucket,
  type RunCounts,
  type RunFilter,
  type RunIndex,
} from "@runledger/contracts";

const PAGE = 200;
/** Pages that are read, so that a filter which few runs match stays cheap. The newest runs are counted. */
const MAX_PAGES = 25;

const BUCKET_MS: Readonly<Record<HistogramBucket, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

interface Histogram {
  readonly bars: HistogramBar[];
  /** `false` if older runs were not read. */
  readonly complete: boolean;
}

export async function scanHistogram(
  index: Pick<RunIndex, "listRuns">,
  filter: RunFilter,
  bucket: HistogramBucket,
): Promise<Histogram> {
  const bars = new Map<string, Record<keyof RunCounts, number>>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
    const listed = await index.listRuns({ ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const { createdAt, status } of listed.runs) {
      const size = BUCKET_MS[bucket];
      const at = new Date(Math.floor(Date.parse(createdAt) / size) * size).toISOString();
      const counts = bars.get(at) ?? noRuns();
      counts[status]++;
      bars.set(at, counts);
    }
    cursor = listed.cursor;
  }
  const inOrder = [...bars].sort(([one], [other]) => (one < other ? -1 : 1));
  return { bars: inOrder.map(([at, counts]) => ({ at, counts })), complete: cursor === null };
}

function noRuns(): Record<keyof RunCounts, number> {
  return Object.fromEntries(runStatuses.map((status) => [status, 0])) as Record<keyof RunCounts, number>;
}
