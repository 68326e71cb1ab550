import { useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryClient } from "../api/query-client.js";

const POLL_MS = 2_000;

/** Polls subscriptions with their backlog, page by page. */
export function useSubscriptions() {
  return useInfiniteQuery({
    queryKey: ["subscriptions"],
    queryFn: ({ pageParam }) => client.listSubscriptions(pageParam === null ? {} : { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: POLL_MS,
  });
}

export function useDeadLetters() {
  return useInfiniteQuery({
    queryKey: ["dead-letters"],
    queryFn: ({ pageParam }) => client.listDeadLetters(pageParam === null ? {} : { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: POLL_MS,
  });
}

/** Reads both lists again after a change. */
export function refreshOutbox(): void {
  void queryClient.invalidateQueries({ queryKey: ["subscriptions"] });
  void queryClient.invalidateQueries({ queryKey: ["dead-letters"] });
}
