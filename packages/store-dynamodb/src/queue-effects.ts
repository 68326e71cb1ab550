/**
 * The effects of appends on the queue, in the same transaction: runs that are woken, finish or are queued again (O2). Rows are
 * read first, and written only if they are still the same.
 */
import type { QueuePlace } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { readRows, writeRow, type QueueRow } from "./queue-rows.js";

type Effects = Pick<RunAppend, "runId" | "wakes" | "acts" | "ends" | "enqueues">;

/** Returns the actions for all effects of an append. `tenantId` is that of the run. */
export async function queueEffects(
  client: DynamoClient,
  { runId, wakes, acts, ends, enqueues }: Effects,
  tenantId: string,
  now: number,
): Promise<readonly WriteAction[]> {
  const isOwnChanged = acts || ends || enqueues !== null;
  const runIds = [...new Set([...wakes, ...(isOwnChanged ? [runId] : [])])];
  if (runIds.length === 0) return [];
  const rows = await readRows(client, runIds);
  const changes = rows.map((row, index) => {
    const own = runIds[index] === runId;
    const woken = countOf(wakes, runIds[index]!);
    const after = own ? ownRow(row, { woken, acts, ends, enqueues }, { runId, tenantId, now }) : wake(row, woken, now);
    return after === row ? Promise.resolve([]) : writeRow(client, row, after);
  });
  return (await Promise.all(changes)).flat();
}

const countOf = (ids: readonly string[], id: string): number => ids.filter((one) => one === id).length;

function ownRow(
  row: QueueRow | null,
  effects: Pick<Effects, "acts" | "ends" | "enqueues"> & { readonly woken: number },
  run: { readonly runId: string; readonly tenantId: string; readonly now: number },
): QueueRow | null {
  const woken = wake(row, effects.woken, run.now);
  const acted = effects.acts ? act(woken, run.now) : woken;
  const left = effects.ends ? null : acted;
  return left === null && effects.enqueues !== null ? newRow(effects.enqueues, run) : left;
}

/** A run that has not started keeps its start time, even if it is woken. */
function wake(row: QueueRow | null, times: number, now: number): QueueRow | null {
  if (row === null || times === 0) return row;
  const availableAt = row.startedAt === null ? row.availableAt : Math.min(row.availableAt, now);
  return { ...row, wakes: row.wakes + times, availableAt };
}

/** Wakes the run for an operator. */
function act(row: QueueRow | null, now: number): QueueRow | null {
  const woken = wake(row, 1, now);
  return woken === null ? null : { ...woken, actsAt: now };
}

export function newRow(
  place: QueuePlace,
  run: { readonly runId: string; readonly tenantId: string; readonly now: number },
  startAt = -Infinity,
): QueueRow {
  const { planId, planVersion, logFormat, priority, projectId = "default", concurrencyKey = null } = place;
  const { runId, tenantId, now } = run;
  const counted = { runId, planId, planVersion, logFormat, priority, tenantId, projectId, concurrencyKey };
  const times = { queuedAt: now, availableAt: Math.max(now, startAt) };
  return { ...counted, ...times, wakes: 0, owner: null, startedAt: null, slot: false, actsAt: null, version: 0 };
}
