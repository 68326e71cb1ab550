import type { RunListQuery } from "@runledger/client";
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { client } from "../api/client.js";
import { setConnection } from "../api/connection.js";
import { pageWatcher } from "../live/page-watcher.js";
import type { KeptList } from "./kept-lists.js";
import { inOrder, noRows, released, withUpdate, withPage, type RunRow, type RunRows } from "./run-rows.js";

/** The maximum of the server, so that fast scrolling waits less often. */
const PAGE = 200;

export interface RunList {
  readonly rows: readonly RunRow[];
  readonly heldCount: number;
  /** `loading` until the first page arrives. */
  readonly state: "loading" | "ready" | "failed";
  /** The error of the last page request. Loaded rows are still shown. */
  readonly error: unknown;
  readonly hasMore: boolean;
  loadMore(): void;
  /** Holds new runs back while the user reads the list, and shows them afterwards. */
  setReading(isReading: boolean): void;
  release(): void;
  retry(): void;
  /** The rows and the cursor, for a user who comes back. `null` until the first page arrives. Keeps its identity. */
  snapshot(): Pick<KeptList, "rows" | "next"> | null;
}

/**
 * `query` must keep its identity while its content is the same. `kept` are the rows of a list that the user came back to.
 * They are shown immediately, and loaded again up to the same place.
 */
export function useRunRows(
  query: RunListQuery,
  kept: Pick<KeptList, "rows" | "next"> | undefined,
  isReading: RefObject<boolean>,
): RunList {
  const [rows, setRows] = useState<RunRows>(kept?.rows ?? noRows);
  const [next, setNext] = useState<string | null | undefined>(kept?.next);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const returned = useRef(kept === undefined ? null : { query, rows: kept.rows.byId.size });
  /** Which list the responses belong to, and whether a request is in flight. */
  const requests = useRef({ list: 0, isLoading: false });

  const load = useCallback(
    async (after: string | null) => {
      const { list } = requests.current;
      const isCurrent = (): boolean => list === requests.current.list;
      if (requests.current.isLoading) return;
      requests.current.isLoading = true;
      try {
        const page = await client.listRuns({ ...query, limit: PAGE, ...(after !== null && { after }) });
        if (!isCurrent()) return;
        setRows((known) => withPage(known, page.items));
        setNext(page.next);
        setError(null);
      } catch (problem) {
        if (isCurrent()) setError(problem);
      } finally {
        if (isCurrent()) requests.current.isLoading = false;
      }
    },
    [query],
  );

  /** Reads the pages of kept rows again. Their cursor stays, because it follows the last of them. */
  const refresh = useCallback(
    async (count: number) => {
      const { list } = requests.current;
      let after: string | null | undefined;
      for (let read = 0; read < count && after !== null; read += PAGE) {
        const page = await client
          .listRuns({ ...query, limit: PAGE, ...(after !== undefined && { after }) })
          .catch(() => ({ items: [], next: null }));
        if (list !== requests.current.list) return;
        setRows((known) => withPage(known, page.items));
        after = page.next;
      }
    },
    [query],
  );

  useEffect(() => {
    requests.current = { list: requests.current.list + 1, isLoading: false };
    if (returned.current?.query === query) void refresh(returned.current.rows);
    else {
      setRows(noRows);
      setNext(undefined);
      setError(null);
      void load(null);
    }
    const stop = pageWatcher().watch({ kind: "runs", query }, (update) => {
      if (update.type === "connection") setConnection(update.state);
      if (update.type === "runs") setRows((known) => withUpdate(known, update.message, isReading.current));
    });
    return () => {
      stop();
      setConnection("idle");
    };
  }, [query, load, refresh, attempt]);

  const setReading = useCallback((value: boolean): void => {
    if (isReading.current && !value) setRows(released);
    isReading.current = value;
  }, []);
  const last = useRef({ rows, next });
  last.current = { rows, next };
  const snapshot = useCallback(() => {
    const { rows: all, next: cursor } = last.current;
    return cursor === undefined ? null : { rows: released(all), next: cursor };
  }, []);
  const isKnown = next !== undefined || rows.byId.size > 0;
  return {
    rows: useMemo(() => inOrder(rows), [rows]),
    heldCount: rows.held.size,
    state: isKnown ? "ready" : error === null ? "loading" : "failed",
    error,
    hasMore: typeof next === "string",
    loadMore: () => void (typeof next === "string" && load(next)),
    setReading,
    release: () => setRows(released),
    snapshot,
    retry: () => (isKnown ? void load(next ?? null) : setAttempt((count) => count + 1)),
  };
}
