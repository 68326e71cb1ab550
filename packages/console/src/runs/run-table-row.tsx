import type { RunSummary } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { duration, moment, relative } from "../ui/format.js";
import { Status } from "../ui/status.js";
import type { RunRow } from "./run-rows.js";
import type { SearchChange } from "./search.js";
import { trigger } from "./trigger.js";

interface RowProps {
  readonly row: RunRow;
  readonly index: number;
  readonly top: number;
  readonly now: number;
  readonly usualMs: number | undefined;
  readonly onFilter: (part: SearchChange) => void;
}

export const RunTableRow = memo(function RunTableRow({ row, index, top, now, usualMs, onFilter }: RowProps) {
  const { run, isGone, isNew } = row;
  const classes = ["run-row", isGone && "gone", isNew && "fresh"].filter(Boolean).join(" ");
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes}
      style={{ translate: `0 ${top}px` }}
      data-run={run.runId}
    >
      <div role="cell" className="c-status">
        <Status of="run" status={run.status} />
      </div>
      <div role="cell" className="c-workflow cut">
        <Link to="/runs/$runId" params={{ runId: run.runId }} search={{}} className="row-link" data-row={index}>
          {run.planId ?? "unnamed"}
        </Link>{" "}
        <span className="quiet">{run.planVersion}</span>
        {run.stale === true && <span className="tone-wait"> · catching up</span>}
      </div>
      <div role="cell" className="c-started" title={new Date(run.createdAt).toLocaleString()}>
        {moment(run.createdAt, now)} <span className="quiet ago">{relative(run.createdAt, now)}</span>
      </div>
      <div role="cell" className="c-duration">
        <Duration run={run} now={now} usualMs={usualMs} />
      </div>
      <div role="cell" className="c-trigger cut">
        <Trigger run={run} onFilter={onFilter} />
      </div>
      <div role="cell" className="c-error cut" title={run.error?.message}>
        <RunFailure run={run} />
      </div>
      <div role="cell" className="c-id mono cut quiet">
        {run.runId}
      </div>
    </div>
  );
});

/** The bar's middle is what the workflow usually takes. */
function Duration({
  run,
  now,
  usualMs,
}: {
  readonly run: RunSummary;
  readonly now: number;
  readonly usualMs: number | undefined;
}) {
  const ms = durationOf(run, now);
  if (ms === null) return <span className="quiet">–</span>;
  const share = usualMs === undefined || usualMs === 0 ? null : Math.min(ms / (2 * usualMs), 1);
  return (
    <>
      <span className="number">{duration(ms)}</span>
      {share !== null && (
        <span className={`gauge ${share > 0.75 ? "long" : ""}`} title={`usually ${duration(usualMs!)}`}>
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </>
  );
}

function durationOf({ totalDurationMs, startedAt, completedAt }: RunSummary, now: number): number | null {
  if (totalDurationMs !== undefined) return totalDurationMs;
  if (startedAt === undefined) return null;
  return (completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt);
}

function Trigger({ run, onFilter }: { readonly run: RunSummary; readonly onFilter: RowProps["onFilter"] }) {
  const { word, filter, title } = trigger(run);
  if (filter === null)
    return (
      <span className="quiet" title={title}>
        {word}
      </span>
    );
  return (
    <button type="button" className="link" title={title} onClick={() => onFilter(filter)}>
      {word}
    </button>
  );
}

function RunFailure({ run: { culprit, error } }: { readonly run: RunSummary }) {
  if (error === undefined) return null;
  return (
    <>
      {culprit !== undefined && <strong>{culprit} </strong>}
      <span className="tone-bad">{error.code}</span> <span className="quiet">{error.message.split("\n")[0]}</span>
    </>
  );
}
