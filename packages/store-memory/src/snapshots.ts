import type { Projection, ProjectionChange, RunSnapshot, StepRow } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import { compareIds } from "./heads.js";
import { headOf, visibleRun, type Tables } from "./tables.js";

export function getSnapshot(
  tables: Tables,
  params: { readonly runId: string; readonly tenantId: string | undefined },
): RunSnapshot | null {
  const run = visibleRun(tables, params.runId, params.tenantId);
  const projection = tables.projections.get(params.runId);
  if (run === undefined || projection === undefined) return null;
  const snapshot = toRunSnapshot(toRunState(projection.header, projection.steps.values()));
  return headOf(run) > snapshot.lastEventSeq ? Object.freeze({ ...snapshot, stale: true }) : snapshot;
}

export function readProjection(
  tables: Tables,
  params: { readonly runId: string; readonly stepIds: readonly string[] },
): Projection | null {
  const projection = tables.projections.get(params.runId);
  if (projection === undefined) return null;
  const steps = [...new Set(params.stepIds)].flatMap((stepId) => projection.steps.get(stepId) ?? []);
  const rebuilt = projection.generation === 0 ? {} : { generation: projection.generation };
  return { header: projection.header, steps: steps.sort(byOrdinal), ...rebuilt };
}

export function readWhole(tables: Tables, runId: string): Projection | null {
  return readProjection(tables, { runId, stepIds: [...(tables.projections.get(runId)?.steps.keys() ?? [])] });
}

export function listStale(
  tables: Tables,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): string[] {
  const stale = [...tables.projections].filter(([, { header }]) => header.stale === true).map(([runId]) => runId);
  return stale
    .filter((runId) => compareIds(runId, afterRunId) > 0)
    .sort(compareIds)
    .slice(0, limit);
}

export function listSteps(
  tables: Tables,
  params: { readonly runId: string; readonly afterOrdinal: number; readonly limit: number },
): StepRow[] {
  const steps = [...(tables.projections.get(params.runId)?.steps.values() ?? [])];
  return steps
    .filter((step) => step.ordinal > params.afterOrdinal)
    .sort(byOrdinal)
    .slice(0, params.limit);
}

export function saveProjection(tables: Tables, change: ProjectionChange): boolean {
  const { readSeq, generation = 0, header, steps } = structuredClone(change);
  const stored = tables.projections.get(header.runId);
  if ((stored?.header.lastEventSeq ?? 0) !== readSeq) return false;
  if (stored !== undefined && stored.generation !== generation) return false;
  const rows = stored?.steps ?? new Map<string, StepRow>();
  for (const step of steps) rows.set(step.stepId, step);
  tables.projections.set(header.runId, { header, steps: rows, generation });
  return true;
}

export function deleteProjection(tables: Tables, runId: string): void {
  tables.projections.delete(runId);
  tables.keyframes.delete(runId);
}

const byOrdinal = (a: StepRow, b: StepRow): number => a.ordinal - b.ordinal;
