import { duration, moment } from "../../ui/format.js";
import { useNow } from "../../ui/now.js";
import { Status } from "../../ui/status.js";
import type { Grid } from "./grid-model.js";
import type { Place } from "./history-grid.js";

/** Describes the hovered or focused cell. It has a fixed place, so that nothing moves. */
export function CellNote({ grid, place }: { readonly grid: Grid; readonly place: Place | null }) {
  const now = useNow();
  const run = place === null ? undefined : grid.runs[place.column];
  if (place === null || run === undefined)
    return (
      <p className="cell-note quiet">
        Color and symbol show the outcome; height shows the duration. Select a cell to open its step.
      </p>
    );
  const row = grid.rows[place.row - 1];
  const cell = row === undefined ? run : row.cells[place.column];
  return (
    <p className="cell-note">
      <b>{row?.stepId ?? "Run"}</b>
      {cell !== undefined && cell !== null && <Status of={row === undefined ? "run" : "step"} status={cell.status} />}
      {cell?.durationMs !== undefined && cell.durationMs !== null && <span>{duration(cell.durationMs)}</span>}
      <span className="quiet">
        version {run.version}, created {moment(run.createdAt, now)}
      </span>
      <span className="quiet mono cut">{run.runId}</span>
    </p>
  );
}
