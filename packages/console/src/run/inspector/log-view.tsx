import type { LogLine } from "@runledger/client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.js";
import { count, exactTime } from "../../ui/format.js";
import { Failure, Loading } from "../../ui/states.js";
import { useLog } from "./use-log.js";

interface LogViewProps {
  readonly runId: string;
  readonly stepId?: string;
  readonly isLive: boolean;
}

const LINE_HEIGHT = 18;
/** The distance to the end, in pixels, within which the log follows new lines. */
const NEAR = 24;

/** A log of any length: only the visible lines are rendered, and further pages are loaded when the user wants them. */
export function LogView({ runId, stepId, isLive }: LogViewProps) {
  const { lines, error, hasMore, load } = useLog(runId, stepId, isLive);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const total = lines?.length ?? 0;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => {
    if (isAtEnd.current && !hasMore && total > 0) virtual.scrollToIndex(total - 1, { align: "end" });
  }, [total, hasMore, virtual]);
  if (error !== null && lines === null) return <Failure error={error} />;
  if (lines === null) return <Loading label="Loading log" lines={4} />;
  if (lines.length === 0) return <p className="quiet">{isLive ? "No log output yet." : "No log output."}</p>;
  return (
    <div className="log-box">
      <div
        ref={scroller}
        className="log"
        role="log"
        tabIndex={0}
        aria-label="Log"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) =>
          (isAtEnd.current = scrollTop + clientHeight > scrollHeight - NEAR)
        }
      >
        <div className="log-lines" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <Line
              key={index}
              line={lines[index]!}
              index={index}
              top={start}
              measure={virtual.measureElement}
              hasStep={stepId === undefined}
            />
          ))}
        </div>
      </div>
      {hasMore && (
        <p className="row log-more" role="status">
          <span className="grow">{count(total)} lines loaded. More follow.</span>
          <Button size="small" onClick={() => load(1)}>
            Load more
          </Button>
          <Button size="small" onClick={() => load(Infinity)}>
            Load all
          </Button>
        </p>
      )}
    </div>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly index: number;
  readonly top: number;
  /** Measures the line, which may be wrapped. */
  readonly measure: (element: HTMLElement | null) => void;
  readonly hasStep: boolean;
}

function Line({ line: { at, from, stepId, text, fields }, index, top, measure, hasStep }: LineProps) {
  return (
    <div ref={measure} data-index={index} className={`log-line ${from}`} style={{ translate: `0 ${top}px` }}>
      <span className="quiet">{exactTime(at)}</span>{" "}
      {hasStep && stepId !== undefined && (
        <>
          <b className="log-step cut" title={stepId}>
            {stepId}
          </b>{" "}
        </>
      )}
      <bdi>{text}</bdi>
      {fields !== undefined && <span className="quiet"> {JSON.stringify(fields)}</span>}
    </div>
  );
}
