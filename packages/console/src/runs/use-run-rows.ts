import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { client } from "../api/client.js";
import { setConnection } from "../app/connection.js";
import { pageWatcher } from "../live/page-watcher.js";
import { inOrder, noRows, released, withNews, withPage, type RunRow, type RunRows } from "./run-rows.js";
import { toQuery, type RunsSearch } from "./search.js";

/** As long as the server gives: who scrolls fast waits less often. */
const PAGE = 200;

export interface RunList {
  readonly rows: readonly RunRow[];
  readonly heldCount: number;
  /** `loading`: nothing is known yet. */
  readonly state: "loading" | "ready" | "failed";
  /** Of the last page that was asked for; what was read before is still shown. */
  readonly error: unknown;
  readonly hasMore: boolean;
  loadMore(): void;
  /** Whether the reader is in the midst of it. Whoever stops sees what has come meanwhile. */
  setReading(isReading: boolean): void;
  release(): void;
  retry(): void;
}

/** `search` must be the same object as long as it says the same. */
export function useRunRows(search: RunsSearch): RunList {
  const [rows, setRows] = useState<RunRows>(noRows);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const isReading = useRef(false);
  /** Which list the answers belong to; and whether one is under way. */
  const asked = useRef({ list: 0, isLoading: false });

  const load = useCallback(
    async (after: string | null) => {
      const { list } = asked.current;
      const isCurrent = (): boolean => list === asked.current.list;
      if (asked.current.isLoading) return;
      asked.current.isLoading = true;
      try {
        const page = await client.listRuns({ ...toQuery(search), limit: PAGE, ...(after !== null && { after }) });
        if (!isCurrent()) return;
        setRows((known) => withPage(known, page.items));
        setNext(page.next);
        setError(null);
      } catch (problem) {
        if (isCurrent()) setError(problem);
      } finally {
        if (isCurrent()) asked.current.isLoading = false;
      }
    },
    [search],
  );

  useEffect(() => {
    asked.current = { list: asked.current.list + 1, isLoading: false };
    setRows(noRows);
    setNext(undefined);
    setError(null);
    void load(null);
    const stop = pageWatcher().watch({ kind: "runs", query: toQuery(search) }, (news) => {
      if (news.type === "connection") setConnection(news.state);
      if (news.type === "runs") setRows((known) => withNews(known, news.message, isReading.current));
    });
    return () => {
      stop();
      setConnection("idle");
    };
  }, [search, load, attempt]);

  const setReading = useCallback((value: boolean): void => {
    if (isReading.current && !value) setRows(released);
    isReading.current = value;
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
    retry: () => (isKnown ? void load(next ?? null) : setAttempt((count) => count + 1)),
  };
}
