import type { Limit, QueueCounts, QueuedRun } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";

export interface Queue {
  readonly runs: readonly QueuedRun[];
  readonly counts: QueueCounts;
  readonly limits: readonly Limit[];
  /** The queue has more runs than were loaded. */
  readonly isPartial: boolean;
}

/** The server computes the reasons of each run, which is expensive. */
const MAX_RUNS = 200;
const PAGE = 100;

export function useQueue(): { readonly queue: Queue | null; readonly error: unknown; readonly retry: () => void } {
  const query = useQuery({ queryKey: ["queue"], queryFn: readQueue, refetchInterval: 3_000 });
  return { queue: query.data ?? null, error: queryErrorOf(query), retry: () => void query.refetch() };
}

async function readQueue(): Promise<Queue> {
  const [first, { items: limits }] = await Promise.all([client.listQueue({ limit: PAGE }), client.listLimits()]);
  const runs = [...first.items];
  let { next } = first;
  while (next !== null && runs.length < MAX_RUNS) {
    const page = await client.listQueue({ limit: PAGE, after: next });
    runs.push(...page.items);
    next = page.next;
  }
  return { runs, counts: first.counts, limits, isPartial: next !== null };
}
