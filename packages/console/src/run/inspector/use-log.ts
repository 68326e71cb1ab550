import type { LogLine } from "@runledger/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../../api/client.js";

/** How often a live log is polled. */
const POLL_MS = 1000;
/** Pages that are loaded at first. A log may have millions of lines. */
const FIRST_PAGES = 2;

export interface Log {
  /** `null` until the first page arrives. */
  readonly lines: readonly LogLine[] | null;
  readonly error: unknown;
  /** More lines follow the loaded ones. */
  readonly hasMore: boolean;
  /** Loads further pages: one more, or all. */
  load(pages: number): void;
}

/** Loads a log page by page. At its end, a live log is polled for new lines. */
export function useLog(runId: string, stepId: string | undefined, isLive: boolean): Log {
  const [lines, setLines] = useState<readonly LogLine[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [hasMore, setMore] = useState(false);
  const next = useRef<string | null>(null);
  const wanted = useRef(FIRST_PAGES);
  const wake = useRef(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const later = (ms: number): void => {
      timer = setTimeout(() => void read(), ms);
    };
    const read = async (): Promise<void> => {
      clearTimeout(timer);
      wake.current = () => {};
      try {
        const after = next.current;
        const page = await client.listLogs(runId, {
          ...(stepId !== undefined && { stepId }),
          ...(after !== null && { after }),
        });
        if (isStopped) return;
        setLines((known) => [...(known ?? []), ...page.items]);
        setError(null);
        next.current = page.next ?? after;
        const isMore = page.items.length > 0 && page.next !== null && page.next !== after;
        if (isMore) wanted.current--;
        setMore(isMore && wanted.current <= 0);
        if (isMore && wanted.current > 0) later(0);
        else if (isMore) wake.current = () => later(0);
        else if (isLive) later(POLL_MS);
      } catch (problem) {
        if (isStopped) return;
        setError(problem);
        later(5 * POLL_MS);
      }
    };
    void read();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [runId, stepId, isLive]);
  const load = useCallback((pages: number): void => {
    wanted.current = pages;
    wake.current();
  }, []);
  return { lines, error, hasMore, load };
}
