import type { DeleteOutcome, NotDeleted, RunHeader } from "@runledger/contracts";
import { forgetDatasetsOf } from "./datasets.js";
import { forgetExpired } from "./retention-tables.js";
import { rowsOf } from "./outbox-tables.js";
import { originOf } from "./queue-start.js";
import { deleteProjection } from "./snapshots.js";
import type { RunTable, Tables } from "./tables.js";

/** Deletes an archived run with everything that belongs to it (A5). */
export function deleteRun(tables: Tables, runId: string): DeleteOutcome {
  const run = tables.runs.get(runId);
  const reason = run === undefined ? "absent" : reasonToKeep(tables, run);
  if (reason === "child" || reason === "forked")
    tables.retention.held.set(runId, tables.projections.get(runId)?.generation ?? 0);
  if (reason !== null) return { runId, deleted: false, reason };
  const { tenantId } = run!;
  release(tables, runId);
  tables.retention.deleted.set(runId, { tenantId, at: tables.now() });
  for (const rows of [
    tables.runs,
    tables.checkpoints,
    tables.queue,
    tables.retention.held,
    tables.retention.checked,
    tables.drawn,
  ])
    rows.delete(runId);
  deleteProjection(tables, runId);
  forgetDatasetsOf(tables, runId);
  for (const [uri, { stored }] of tables.artifacts) if (stored.runId === runId) tables.artifacts.delete(uri);
  forgetExpired(tables, runId);
  for (const number of tables.outbox.deliveries.keys()) rowsOf(tables, number).delete(runId);
  return { runId, deleted: true };
}

function reasonToKeep(tables: Tables, { runId, archived }: RunTable): NotDeleted | null {
  if (!archived) return "not-archived";
  const parent = parentOf(tables, runId);
  if (parent !== undefined && tables.runs.has(parent)) return "child";
  if (isForked(tables, runId)) return "forked";
  return isUndelivered(tables, runId) ? "undelivered" : null;
}

export function parentOf(tables: Tables, runId: string): string | undefined {
  return headerOf(tables, runId)?.parent?.runId;
}

export function isForked(tables: Tables, runId: string): boolean {
  const isFork = ({ header }: { readonly header: RunHeader }): boolean =>
    header.fork?.runId === runId && tables.runs.has(header.runId);
  const isNewFork = ({ events: [first] }: RunTable): boolean => first !== undefined && originOf(first) === runId;
  return [...tables.projections.values()].some(isFork) || [...tables.runs.values()].some(isNewFork);
}

function isUndelivered(tables: Tables, runId: string): boolean {
  return [...tables.outbox.subscriptions.values()].some(({ number }) => {
    const row = rowsOf(tables, number).get(runId);
    return row !== undefined && row.deliveredSeq < row.headSeq && !row.isExcluded && row.deadAt === null;
  });
}

/** The children and the origin of a deleted run can be deleted now. */
function release(tables: Tables, runId: string): void {
  const { held } = tables.retention;
  const origin = headerOf(tables, runId)?.fork?.runId;
  if (origin !== undefined) held.delete(origin);
  for (const child of held.keys()) if (headerOf(tables, child)?.parent?.runId === runId) held.delete(child);
}

function headerOf(tables: Tables, runId: string): RunHeader | undefined {
  return tables.projections.get(runId)?.header;
}
