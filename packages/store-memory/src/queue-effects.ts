/** What appends do to the queue, with them: runs that are woken, have ended, or begin again (O2). */
import type { QueuePlace } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export function enqueue(tables: Tables, runId: string, place: QueuePlace): void {
  if (tables.queue.has(runId)) return;
  tables.queue.set(runId, { runId, ...place, availableAt: tables.now(), wakes: 0, owner: null });
}

export function wake(tables: Tables, runId: string): void {
  const row = tables.queue.get(runId);
  if (row === undefined) return;
  row.wakes++;
  row.availableAt = Math.min(row.availableAt, tables.now());
}
