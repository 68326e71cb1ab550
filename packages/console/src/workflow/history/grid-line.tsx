import { memo, type CSSProperties } from "react";
import { duration } from "../../ui/format.js";
import { linkTo } from "../../ui/plain-link.js";
import { stepLook } from "../../ui/status.js";
import type { GridCell, GridRow, GridRun } from "./grid-model.js";

interface GridLineProps {
  readonly row: GridRow;
  /** The row in the grid. Row 0 has the runs. */
  readonly index: number;
  readonly runs: readonly GridRun[];
  readonly top: number;
  readonly activeColumn: number | null;
}

export const GridLine = memo(function GridLine({ row, index, runs, top, activeColumn }: GridLineProps) {
  return (
    <div role="row" className="history-row" aria-rowindex={index + 1} style={{ translate: `0 ${top}px` }}>
      <div role="rowheader" className="history-name cut" title={row.stepId}>
        {row.stepId}
      </div>
      {row.cells.map((cell, column) => (
        <div key={runs[column]!.runId} role="gridcell" aria-colindex={column + 2}>
          {cell !== null && (
            <a
              className={`cell tone-${stepLook(cell.status).tone}`}
              href={linkTo(runs[column]!.runId, row.stepId)}
              tabIndex={activeColumn === column ? 0 : -1}
              data-cell={`${index}:${column}`}
              data-status={cell.status}
              aria-label={labelOf(row.stepId, cell)}
              style={{ "--share": cell.share } as CSSProperties}
            />
          )}
        </div>
      ))}
    </div>
  );
});

function labelOf(stepId: string, { status, durationMs }: GridCell): string {
  return `${stepId}, ${stepLook(status).word}${durationMs === null ? "" : `, ${duration(durationMs)}`}`;
}
