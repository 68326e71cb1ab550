/** The history grid of a workflow: runs from oldest to newest as columns, steps in the order of the plan as rows. */
import type { WorkflowHistory } from "@runledger/client";

export interface GridCell {
  readonly status: string;
  readonly durationMs: number | null;
  /** The duration as a fraction of the longest in the row. */
  readonly share: number;
}

export interface GridRun extends GridCell {
  readonly runId: string;
  readonly version: string;
  readonly createdAt: string;
  /** The run took longer than the scale covers. */
  readonly isBeyond: boolean;
}

export interface GridRow {
  readonly stepId: string;
  /** `null` if the run has no such step. */
  readonly cells: readonly (GridCell | null)[];
}

export interface Grid {
  readonly runs: readonly GridRun[];
  readonly rows: readonly GridRow[];
  /** The duration of a bar with full height. */
  readonly scaleMs: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** `planned` lists the steps of the newest version in order. Steps of older versions come last. */
export function toGrid({ steps, runs, p50Ms, p95Ms }: WorkflowHistory, planned: readonly string[]): Grid {
  const columns = runs.toReversed();
  const ordered = [...new Set([...planned.filter((stepId) => steps.includes(stepId)), ...steps])];
  const scaleMs = scaleOf(
    columns.map(({ durationMs }) => durationMs ?? 0),
    p95Ms,
  );
  return {
    scaleMs,
    p50Ms,
    p95Ms,
    runs: columns.map(({ runId, version, status, createdAt, durationMs }) => ({
      runId,
      version,
      status,
      createdAt,
      durationMs,
      share: Math.min(1, (durationMs ?? 0) / scaleMs),
      isBeyond: (durationMs ?? 0) > scaleMs,
    })),
    rows: ordered.map((stepId) => toRow(stepId, steps.indexOf(stepId), columns)),
  };
}

function toRow(stepId: string, step: number, columns: WorkflowHistory["runs"]): GridRow {
  const longest = Math.max(1, ...columns.map(({ stepDurationsMs }) => stepDurationsMs[step] ?? 0));
  return {
    stepId,
    cells: columns.map(({ stepStatuses, stepDurationsMs }) => {
      const status = stepStatuses[step] ?? null;
      const durationMs = stepDurationsMs[step] ?? null;
      return status === null ? null : { status, durationMs, share: (durationMs ?? longest) / longest };
    }),
  };
}

/** Caps the scale at twice the p95, so that one very long run does not flatten all others. */
function scaleOf(durations: readonly number[], p95Ms: number | null): number {
  const longest = Math.max(1, ...durations);
  return p95Ms === null || p95Ms === 0 ? longest : Math.min(longest, 2 * p95Ms);
}
