/** Reads the new events of several runs, bounded in bytes, so that large payloads do not fill the memory of a follower. */
import type { CanonicalEngineEvent, FullStateStore, RunWatermark } from "@runledger/contracts";

/** All runs together. An event can have 256 KB. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface TailParams extends RunWatermark {
  /** The log has at least this many events, unless it has lost some. */
  readonly headSeq: number;
}

export interface FetchedTail {
  readonly events: readonly CanonicalEngineEvent[];
  /** `true` if more events follow, or may follow. */
  readonly isFull: boolean;
}

export async function fetchTails(
  { feed }: Pick<FullStateStore, "feed">,
  runs: readonly TailParams[],
  limit: number,
): Promise<FetchedTail[]> {
  const watermarks = runs.map(({ runId, afterSeq }) => ({ runId, afterSeq }));
  const logs = await feed.fetchRuns(watermarks, { limit, maxBytes: MAX_BYTES });
  const ends = runs.map(({ runId, afterSeq }, index) => ({ runId, afterSeq: logs[index]!.at(-1)?.runSeq ?? afterSeq }));
  // A log that ends early was cut because of its size, or has lost events.
  const short = ends.filter(({ afterSeq }, index) => logs[index]!.length < limit && afterSeq < runs[index]!.headSeq);
  const next = short.length === 0 ? [] : await feed.fetchRuns(short, { limit: 1 });
  const cut = new Set(short.filter((_, index) => next[index]!.length > 0).map(({ runId }) => runId));
  return logs.map((events, index) => ({ events, isFull: events.length === limit || cut.has(runs[index]!.runId) }));
}
