import type { DerivedRun, Json, Rebuilt, RunHeader } from "@runledger/contracts";
import { toIndexRow } from "@runledger/core/store";
import { compareIds } from "./heads.js";
import { readWhole } from "./snapshots.js";
import { headOf, type QueueRow, type Tables } from "./tables.js";

export function readDerived(tables: Tables, runId: string): DerivedRun {
  const run = tables.runs.get(runId);
  const header = tables.projections.get(runId)?.header ?? null;
  const row = tables.queue.get(runId);
  return {
    head: run === undefined ? null : { tenantId: run.tenantId, headSeq: headOf(run), archived: run.archived },
    header,
    steps: readWhole(tables, runId)?.steps ?? [],
    checkpoint: tables.checkpoints.get(runId) ?? null,
    place: row === undefined ? null : placeOf(row),
    indexRow: run === undefined || header === null ? null : expectedIndexRow(header, run.tenantId),
  };
}

function placeOf({ tenantId, planId, planVersion, logFormat, priority, projectId, concurrencyKey }: QueueRow) {
  const key = concurrencyKey === null ? {} : { concurrencyKey };
  return { tenantId, planId, planVersion, logFormat, priority, projectId, ...key };
}

/** Derived on every read, so it is always correct. */
export function expectedIndexRow(header: RunHeader, tenantId: string): Json {
  return { tenantId, ...toIndexRow(header) } as unknown as Json;
}

export function listDerived(
  tables: Tables,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): string[] {
  return [...tables.projections.keys()]
    .filter((runId) => compareIds(runId, afterRunId) > 0)
    .sort(compareIds)
    .slice(0, limit);
}

export function replaceProjection(tables: Tables, rebuilt: Rebuilt): boolean {
  const { header, steps, keyframes } = structuredClone(rebuilt);
  const { runId } = header;
  const stored = tables.projections.get(runId);
  if ((stored?.header.lastEventSeq ?? 0) > header.lastEventSeq) return false;
  const generation = stored === undefined ? 0 : stored.generation + 1;
  tables.projections.set(runId, { header, generation, steps: new Map(steps.map((step) => [step.stepId, step])) });
  tables.keyframes.set(runId, keyframes);
  return true;
}
