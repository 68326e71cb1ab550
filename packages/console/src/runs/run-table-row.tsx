import type { RunSummary } from "@runledger/client";
import { memo } from "react";
import { Button } from "../ui/button.js";
import { dayAndTime, moment, relative, shortId } from "../ui/format.js";
import { linkTo } from "../ui/plain-link.js";
import { Status, waitText } from "../ui/status.js";
import { RunDuration } from "./run-duration.js";
import type { RunRow } from "./run-rows.js";
import type { SearchChange } from "./search.js";
import { trigger } from "./trigger.js";

interface RowProps {
  readonly row: RunRow;
  readonly index: number;
  readonly top: number;
  readonly now: number;
  readonly medianMs: number | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (runId: string) => void;
  readonly onFilter: (part: SearchChange) => void;
}

export const RunTableRow = memo(function RunTableRow({
  row: { run, isGone, isNew },
  index,
  top,
  now,
  medianMs,
  isSelected,
  onSelect,
  onFilter,
}: RowProps) {
  const classes = ["run-row", isGone && "gone", isNew && "fresh", isSelected && "chosen"].filter(Boolean).join(" ");
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes}
      style={{ translate: `0 ${top}px` }}
      data-run={run.runId}
      data-row-box
    >
      <label role="cell" className="c-choose">
        <input
          type="checkbox"
          tabIndex={-1}
          data-key="x"
          aria-label={`Select run ${run.runId}`}
          checked={isSelected}
          onChange={() => onSelect(run.runId)}
        />
      </label>
      <div role="cell" className="c-status">
        <Status of="run" status={run.status} waitsFor={run.waitsFor} />
      </div>
      <div role="cell" className="c-workflow cut">
        <a href={linkTo(run.runId)} className="row-link" data-row={index}>
          {run.planId ?? "unnamed"}
        </a>{" "}
        <span className="quiet">{run.planVersion}</span>
        {run.stale === true && (
          <span className="tone-wait" title="This row is behind the log and updates in a moment.">
            {" "}
            · catching up
          </span>
        )}
        {isGone && <span className="quiet"> · no longer matches the filter</span>}
      </div>
      <div role="cell" className="c-trigger cut">
        <Trigger run={run} onFilter={onFilter} />
      </div>
      <div role="cell" className="c-started cut" title={startTitle(run)}>
        <Started run={run} now={now} />
      </div>
      <div role="cell" className="c-duration">
        <RunDuration run={run} now={now} medianMs={medianMs} />
      </div>
      <div role="cell" className="c-error cut" title={run.error?.message}>
        <RunFailure run={run} />
      </div>
      <div role="cell" className="c-tenant cut" title={placeOf(run)}>
        <span className="quiet">{placeOf(run)}</span>
      </div>
      <div role="cell" className="c-id mono cut quiet" title={run.runId}>
        {shortId(run.runId)}
      </div>
    </div>
  );
});

function Started({ run, now }: { readonly run: RunSummary; readonly now: number }) {
  const { createdAt, startedAt, waitsFor } = run;
  const word = waitsFor === undefined ? "queued" : "created";
  if (startedAt === undefined) return <span className="quiet">{`${word} ${relative(createdAt, now)}`}</span>;
  return (
    <>
      {moment(startedAt, now)} <span className="quiet ago">{relative(startedAt, now)}</span>
    </>
  );
}

function startTitle({ createdAt, startedAt }: RunSummary): string {
  const created = `created ${dayAndTime(createdAt)}`;
  return startedAt === undefined ? `${created}, not started yet` : created;
}

/** `acme · shop / prod`. Projects and environments named `default` are left out. */
function placeOf({ tenantId, projectId, environmentId }: RunSummary): string {
  const inside = [projectId, environmentId].filter((part) => part !== undefined && part !== "default").join(" / ");
  return inside === "" ? tenantId : `${tenantId} · ${inside}`;
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
    <Button variant="link" tabIndex={-1} title={title} onClick={() => onFilter(filter)}>
      {word}
    </Button>
  );
}

function RunFailure({ run: { culprit, error, waitsFor } }: { readonly run: RunSummary }) {
  if (waitsFor !== undefined && waitsFor !== "approval") return <span className="tone-wait">{waitText(waitsFor)}</span>;
  if (error === undefined) return null;
  return (
    <>
      {culprit !== undefined && <strong>{culprit} </strong>}
      <span className="tone-bad">{error.code}</span> <span className="quiet">{error.message.split("\n")[0]}</span>
    </>
  );
}
