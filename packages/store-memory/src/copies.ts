import { SeqMismatchError, StopError, type CanonicalEngineEvent } from "@runledger/contracts";
import type { CheckedCopy, CopiedEvent } from "@runledger/core/store";
import { announce, freeze, newRun } from "./append-events.js";
import { enqueue } from "./queue-effects.js";
import { headOf, type RunTable, type Tables } from "./tables.js";

/** All or none: everything is checked before anything is written. */
export function writeCopies(tables: Tables, copies: readonly CheckedCopy[]): void {
  for (const { runId, tenantId, afterSeq } of copies) {
    const run = tables.runs.get(runId);
    const headSeq = run === undefined ? 0 : headOf(run);
    if (headSeq !== afterSeq) throw new SeqMismatchError(runId, afterSeq, headSeq);
    if (run !== undefined && run.tenantId !== tenantId)
      throw new StopError(
        "COPY_MISMATCH",
        `Run ${runId} belongs to tenant ${run.tenantId} here, but to ${tenantId} in the copy. Copy it into another store.`,
      );
  }
  for (const copy of copies) writeCopy(tables, copy);
}

function writeCopy(tables: Tables, copy: CheckedCopy): void {
  const { runId, events, place, start } = copy;
  const run = tables.runs.get(runId) ?? newRun(tables, copy);
  tables.retention.deleted.delete(runId);
  for (const event of events) put(run, event);
  announce(tables, run, Date.parse(events.at(-1)!.persistedAt));
  if (place === null) tables.queue.delete(runId);
  else enqueue(tables, run, place);
  if (start !== undefined && !tables.starts.has(start.startKey))
    tables.starts.set(start.startKey, { runId, inputHash: start.inputHash });
}

function put(run: RunTable, { event, dataJson, refJson, runSeq, persistedAt }: CopiedEvent): void {
  const engineRunRef = refJson === null ? {} : { engineRunRef: JSON.parse(refJson) as unknown };
  const stored = { ...event, ...engineRunRef, runSeq, persistedAt, eventData: JSON.parse(dataJson) as unknown };
  run.events.push(freeze(stored) as CanonicalEngineEvent);
  run.seqByKey.set(event.idempotencyKey, runSeq);
}
