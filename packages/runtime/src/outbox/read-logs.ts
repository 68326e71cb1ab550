/** Reads the new events of claimed runs. A run that cannot be read does not affect the others. */
import type { ClaimedDelivery, FullStateStore } from "@runledger/contracts";
import { fetchTails, type FetchedTail } from "../feed/fetch-tails.js";
import { isUnavailable } from "../time/retry.js";

/** The events of each run, or the error for which its log cannot be read. Throws if the store is unavailable. */
export async function readLogs(
  store: FullStateStore,
  claimed: readonly ClaimedDelivery[],
  limit: number,
): Promise<(FetchedTail | Error)[]> {
  const runs = claimed.map(({ runId, deliveredSeq, headSeq }) => ({ runId, afterSeq: deliveredSeq, headSeq }));
  try {
    // One call per place: two subscriptions may read the same run from different places.
    const isRepeated = new Set(runs.map(({ runId }) => runId)).size < runs.length;
    if (isRepeated && runs.length > 1) return await inHalves(store, claimed, limit);
    return await fetchTails(store, runs, limit);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (runs.length > 1) return inHalves(store, claimed, limit);
    return [error instanceof Error ? error : new Error(String(error))];
  }
}

async function inHalves(store: FullStateStore, claimed: readonly ClaimedDelivery[], limit: number) {
  const half = claimed.length >> 1;
  const first = await readLogs(store, claimed.slice(0, half), limit);
  return [...first, ...(await readLogs(store, claimed.slice(half), limit))];
}

/** The settled sequence numbers of runs, for append authorities that leave gaps (P10). */
export async function settledSeqs(
  store: FullStateStore,
  claimed: readonly ClaimedDelivery[],
): Promise<ReadonlyMap<string, number>> {
  if (store.capabilities.contiguous) return new Map();
  const heads = await store.fetchHeads(claimed.map(({ runId }) => runId));
  return new Map(heads.map(({ runId, settledSeq = 0 }) => [runId, settledSeq]));
}
