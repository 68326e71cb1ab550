import type { LogLine } from "@runledger/client";
import { useEffect, useRef, useState } from "react";
import { client } from "../../api/client.js";
import { exactTime } from "../../ui/format.js";
import { Failure, Loading } from "../../ui/states.js";

interface LogViewProps {
  readonly runId: string;
  readonly stepId?: string;
  readonly isLive: boolean;
}

/** How often a live log is asked for more. */
const EVERY_MS = 1000;
/** Older lines are let go: a step may print without end. */
const MOST_LINES = 2000;

export function LogView({ runId, stepId, isLive }: LogViewProps) {
  const { lines, error } = useLog(runId, stepId, isLive);
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: "nearest" }); // what was said last is what is looked for
  }, [lines]);
  if (error !== null && lines === null) return <Failure error={error} />;
  if (lines === null) return <Loading label="Loading the log" lines={4} />;
  if (lines.length === 0)
    return <p className="quiet">{isLive ? "Nothing was printed so far." : "Nothing was printed."}</p>;
  return (
    <div
      className="log"
      role="log"
      tabIndex={0}
      aria-label="Log"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) =>
        (isAtEnd.current = scrollTop + clientHeight > scrollHeight - 24)
      }
    >
      {lines.map((line, index) => (
        <div key={index} className={`log-line ${line.from}`}>
          <span className="quiet">{exactTime(line.at)}</span>{" "}
          {stepId === undefined && line.stepId !== undefined && (
            <>
              <b className="log-step cut" title={line.stepId}>
                {line.stepId}
              </b>{" "}
            </>
          )}
          <bdi>{line.text}</bdi>
          {line.fields !== undefined && <span className="quiet"> {JSON.stringify(line.fields)}</span>}
        </div>
      ))}
      <div ref={end} />
    </div>
  );
}

function useLog(runId: string, stepId: string | undefined, isLive: boolean) {
  const [lines, setLines] = useState<readonly LogLine[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const next = useRef<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasLeft = false;
    const load = async (): Promise<void> => {
      try {
        const after = next.current;
        const about = { ...(stepId !== undefined && { stepId }), ...(after !== null && { after }) };
        const page = await client.listLogs(runId, about);
        if (hasLeft) return;
        setLines((known) => [...(known ?? []), ...page.items].slice(-MOST_LINES));
        setError(null);
        const isMore = page.next !== null && page.next !== after;
        next.current = page.next ?? after;
        if (isMore || isLive) timer = setTimeout(() => void load(), isMore && page.items.length > 0 ? 0 : EVERY_MS);
      } catch (problem) {
        if (hasLeft) return;
        setError(problem);
        timer = setTimeout(() => void load(), 5 * EVERY_MS);
      }
    };
    void load();
    return () => {
      hasLeft = true;
      clearTimeout(timer);
    };
  }, [runId, stepId, isLive]);
  return { lines, error };
}
