import { useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryClient } from "../api/query-client.js";

const POLL_MS = 2_000;

/** Polls triggers with their counters, page by page. */
export function useTriggers() {
  return useInfiniteQuery({
    queryKey: ["triggers"],
    queryFn: ({ pageParam }) => client.listTriggers(pageParam === null ? {} : { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: POLL_MS,
  });
}

/** Reads the list again after a change. */
export function refreshTriggers(): void {
  void queryClient.invalidateQueries({ queryKey: ["triggers"] });
}
