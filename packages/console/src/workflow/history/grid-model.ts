/** The grid of a workflow: runs from left to right as they came, steps from top to bottom as they stand in the plan. */
import type { WorkflowHistory } from "@runledger/client";

export interface GridCell {
  readonly status: string;
  readonly durationMs: number | null;
  /** How long it took, as a share of the longest in its row. */
  readonly share: number;
}

export interface GridRun extends GridCell {
  readonly runId: string;
  readonly version: string;
  readonly createdAt: string;
  /** It took longer than the scale reaches. */
  readonly isBeyond: boolean;
}

export interface GridRow {
  readonly stepId: string;
  /** Null = the run had no such step. */
  readonly cells: readonly (GridCell | null)[];
}

export interface Grid {
  readonly runs: readonly GridRun[];
  readonly rows: readonly GridRow[];
  /** What the full height of a run's bar stands for. */
  readonly scaleMs: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** `planned`: the steps of the newest version, in whose order they stand; those of older ones come after. */
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

/** One that took a day must not make all others look alike. */
function scaleOf(durations: readonly number[], p95Ms: number | null): number {
  const longest = Math.max(1, ...durations);
  return p95Ms === null || p95Ms === 0 ? longest : Math.min(longest, 2 * p95Ms);
}
