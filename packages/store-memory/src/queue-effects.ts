/**
 * The effects of appends on the queue, in the same transaction: runs that are woken, finish or are queued again (O2).
 */
import type { QueuePlace } from "@runledger/contracts";
import { takeTurn } from "./limits.js";
import type { RunTable, Tables } from "./tables.js";

export function enqueue(tables: Tables, { runId, tenantId }: RunTable, place: QueuePlace, startAt = -Infinity): void {
  if (tables.queue.has(runId)) return;
  const { planId, planVersion, logFormat, priority, projectId = "default", concurrencyKey = null } = place;
  const now = tables.now();
  const counted = { runId, planId, planVersion, logFormat, priority, tenantId, projectId, concurrencyKey };
  const times = { queuedAt: now, availableAt: Math.max(now, startAt) };
  const states = { wakes: 0, owner: null, startedAt: null, slot: false, actsAt: null };
  takeTurn(tables, tenantId);
  tables.queue.set(runId, { ...counted, ...times, ...states });
}

/** A run that has not started keeps its start time, even if it is woken. */
export function wake(tables: Tables, runId: string): void {
  const row = tables.queue.get(runId);
  if (row === undefined) return;
  row.wakes++;
  if (row.startedAt !== null) row.availableAt = Math.min(row.availableAt, tables.now());
}

/** Wakes the run for an operator. */
export function act(tables: Tables, runId: string): void {
  wake(tables, runId);
  const row = tables.queue.get(runId);
  if (row !== undefined) row.actsAt = tables.now();
}
