import type { RunDiff } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Button } from "../ui/button.js";
import { count, duration } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Status } from "../ui/status.js";
import { differenceOf, type DiffSide } from "./difference.js";

interface CompareTableProps {
  readonly diff: RunDiff;
  readonly a: string;
  readonly b: string;
}

const ROW_HEIGHT = 30;

export function CompareTable({ diff, a, b }: CompareTableProps) {
  const { items, firstDifference } = diff;
  const scroller = useRef<HTMLDivElement>(null);
  const first = items.findIndex(({ stepId }) => stepId === firstDifference);
  const most = items.reduce(
    (longest, { one, other }) => Math.max(longest, one?.durationMs ?? 0, other?.durationMs ?? 0),
    1,
  );
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  return (
    <div className="panel compare-table">
      <div className="panel-head">
        <h2>Steps</h2>
        {!diff.complete && <span className="tone-wait">only the first {count(diff.compared)} steps were compared</span>}
        {first === -1 ? (
          <span className="quiet">Outcomes are identical.</span>
        ) : (
          <Button size="small" onClick={() => virtual.scrollToIndex(first, { align: "center" })}>
            First difference: {firstDifference}
          </Button>
        )}
      </div>
      <div className="compare-row head" aria-hidden="true">
        <span>Step</span>
        <span>A</span>
        <span>B</span>
        <span>Difference</span>
      </div>
      <div className="compare-scroll" ref={scroller} tabIndex={0} role="group" aria-label="Steps of both runs">
        <div className="compare-body" role="list" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = items[index]!;
            return (
              <div
                key={row.stepId}
                role="listitem"
                className={`compare-row ${row.differs.length === 0 ? "" : "differs"} ${index === first ? "first" : ""}`}
                data-step={row.stepId}
                style={{ translate: `0 ${start}px` }}
              >
                <span className="cut" title={row.stepId}>
                  {row.stepId}
                </span>
                <Side side={row.one} runId={a} stepId={row.stepId} most={most} />
                <Side side={row.other} runId={b} stepId={row.stepId} most={most} />
                <span className="compare-note cut">
                  {index === first && <Icon name="right" size={12} />}
                  {differenceOf(row)}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface SideProps {
  /** `null` if the run has no such step. */
  readonly side: DiffSide | null;
  readonly runId: string;
  readonly stepId: string;
  readonly most: number;
}

function Side({ side, runId, stepId, most }: SideProps) {
  if (side === null) return <span className="quiet">–</span>;
  const { status, durationMs } = side;
  return (
    <Link className="side" to="/runs/$runId" params={{ runId }} search={{ step: stepId }}>
      <Status of="step" status={status} iconOnly />
      <span className="number">{durationMs === null ? "" : duration(durationMs)}</span>
      <span className="gauge">
        {durationMs !== null && <span style={{ width: `${(durationMs / most) * 100}%` }} />}
      </span>
    </Link>
  );
}
