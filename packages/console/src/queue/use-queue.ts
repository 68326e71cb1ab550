import type { Limit, QueueCounts, QueuedRun } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { troubleOf } from "../api/trouble.js";

export interface Queue {
  readonly runs: readonly QueuedRun[];
  readonly counts: QueueCounts;
  readonly limits: readonly Limit[];
  /** There are more runs than are looked at. */
  readonly isPartial: boolean;
}

/** Each of them is asked why it does not run, which is not for nothing. */
const MOST_RUNS = 200;
const PAGE = 100;

export function useQueue(): { readonly queue: Queue | null; readonly trouble: unknown; readonly retry: () => void } {
  const query = useQuery({ queryKey: ["queue"], queryFn: readQueue, refetchInterval: 3_000 });
  return { queue: query.data ?? null, trouble: troubleOf(query), retry: () => void query.refetch() };
}

async function readQueue(): Promise<Queue> {
  const [first, { items: limits }] = await Promise.all([client.listQueue({ limit: PAGE }), client.listLimits()]);
  const runs = [...first.items];
  let { next } = first;
  while (next !== null && runs.length < MOST_RUNS) {
    const page = await client.listQueue({ limit: PAGE, after: next });
    runs.push(...page.items);
    next = page.next;
  }
  return { runs, counts: first.counts, limits, isPartial: next !== null };
}
