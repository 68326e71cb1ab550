/** The row of runs: their durations as bars, with lines at p50 and p95. */
import { duration } from "../../ui/format.js";
import { linkTo } from "../../ui/plain-link.js";
import { runLook } from "../../ui/status.js";
import type { Grid } from "./grid-model.js";

interface RunLineProps {
  readonly grid: Grid;
  /** The column of the cell that Tab focuses. `null` if it is in another row. */
  readonly activeColumn: number | null;
}

export function RunLine({ grid, activeColumn }: RunLineProps) {
  const { runs, scaleMs, p50Ms, p95Ms } = grid;
  return (
    <div role="row" className="history-row trend" aria-rowindex={1}>
      <div role="rowheader" className="history-name">
        <span>Duration</span>
        <span className="quiet">up to {duration(scaleMs)}</span>
      </div>
      {runs.map(({ runId, status, durationMs, share, isBeyond }, column) => (
        <div key={runId} role="gridcell" aria-colindex={column + 2}>
          <a
            className={`trend-cell ${isBeyond ? "beyond" : ""}`}
            href={linkTo(runId)}
            tabIndex={activeColumn === column ? 0 : -1}
            data-cell={`0:${column}`}
            data-status={status}
            aria-label={`Run ${runId}, ${runLook(status).word}${durationMs === null ? "" : `, ${duration(durationMs)}`}`}
          >
            <span
              className={`trend-bar tone-${runLook(status).tone}`}
              style={{ height: `${Math.max(3, share * 100)}%` }}
            />
          </a>
        </div>
      ))}
      <div className="trend-lines" aria-hidden="true">
        <Line name="p50" ms={p50Ms} scaleMs={scaleMs} />
        <Line name="p95" ms={p95Ms} scaleMs={scaleMs} />
      </div>
    </div>
  );
}

interface LineProps {
  readonly name: "p50" | "p95";
  readonly ms: number | null;
  readonly scaleMs: number;
}

function Line({ name, ms, scaleMs }: LineProps) {
  if (ms === null) return null;
  return <span className={`trend-line ${name}`} style={{ bottom: `${Math.min(100, (ms / scaleMs) * 100)}%` }} />;
}
