/** Queries of the queue. They change nothing. */
import {
  MOST_AHEAD,
  targetsOf,
  type LimitTarget,
  type LimitUse,
  type QueueCount,
  type QueueEntry,
  type QueueFacts,
  type QueuePage,
} from "@runledger/contracts";
import { limitFor, keyLimit } from "@runledger/core/store";
import { compareIds } from "./heads.js";
import { allLimits, startedWithin, drainOf, holdersOf } from "./limits.js";
import { inOrder } from "./queue-claim.js";
import type { QueueRow, Tables } from "./tables.js";

const HOLDERS = 5;

export function inspectRun(tables: Tables, runId: string): QueueFacts | null {
  const row = tables.queue.get(runId);
  if (row === undefined) return null;
  return {
    now: iso(tables.now()),
    entry: toEntry(row),
    ...aheadOf(tables, row),
    startsPerSecond: drainOf(tables, { scope: "overall", subject: "" }),
    limits: targetsOf(row).flatMap((target) => useOf(tables, target) ?? []),
  };
}

/** Counts started runs first, then queued runs in the order in which they would be claimed without limits. */
function aheadOf(tables: Tables, row: QueueRow): Pick<QueueFacts, "ahead" | "aheadOfOwn"> {
  const before = runsBefore(tables, row);
  const own = before.filter(({ tenantId }) => tenantId === row.tenantId);
  return { ahead: Math.min(MOST_AHEAD, before.length), aheadOfOwn: Math.min(MOST_AHEAD, own.length) };
}

function runsBefore(tables: Tables, row: QueueRow): readonly QueueRow[] {
  const now = tables.now();
  if (row.owner !== null || row.availableAt > now) return [];
  const due = [...tables.queue.values()].filter(({ owner, availableAt }) => owner === null && availableAt <= now);
  const begun = due.filter(({ startedAt }) => startedAt !== null);
  if (row.startedAt !== null) return begun.filter(({ availableAt }) => availableAt < row.availableAt);
  const queued = inOrder(
    tables,
    due.filter(({ startedAt }) => startedAt === null),
  );
  return [...begun, ...queued.slice(0, queued.indexOf(row))];
}

function useOf(tables: Tables, target: LimitTarget): LimitUse | null {
  const limit = limitFor(allLimits(tables), target) ?? keyLimit(target);
  if (limit === null) return null;
  const holders = holdersOf(tables, target).map(({ runId }) => runId);
  return {
    target,
    limit,
    running: holders.length,
    holders: holders.sort(compareIds).slice(0, HOLDERS),
    rateFreeAt: rateFreeAt(tables, target, limit.rate),
    startsPerSecond: drainOf(tables, target),
  };
}

function rateFreeAt(tables: Tables, target: LimitTarget, rate: LimitUse["limit"]["rate"]): string | null {
  if (rate === null) return null;
  const oldest = startedWithin(tables, target, rate.perMs).at(-rate.starts);
  return oldest === undefined ? null : iso(oldest.at + rate.perMs);
}

export function listQueue(tables: Tables, { tenantId, afterRunId = "", limit = 1000 }: QueuePage): QueueEntry[] {
  const rows = [...tables.queue.values()].filter(
    (row) => compareIds(row.runId, afterRunId) > 0 && (tenantId === undefined || row.tenantId === tenantId),
  );
  return rows
    .sort((a, b) => compareIds(a.runId, b.runId))
    .slice(0, limit)
    .map(toEntry);
}

export function countQueue(tables: Tables): QueueCount[] {
  const rows = [...tables.queue.values()];
  const tenants = [...new Set(rows.map(({ tenantId }) => tenantId))].sort(compareIds);
  return tenants.map((tenantId) => {
    const own = rows.filter((row) => row.tenantId === tenantId);
    const queued = own.filter(({ startedAt }) => startedAt === null).length;
    const running = own.filter(({ slot }) => slot).length;
    return { tenantId, queued, running, waiting: own.length - queued - running };
  });
}

function toEntry(row: QueueRow): QueueEntry {
  const { queuedAt, startedAt, availableAt, actsAt, wakes: _, ...rest } = row;
  return {
    ...rest,
    queuedAt: iso(queuedAt),
    startedAt: startedAt === null ? null : iso(startedAt),
    dueAt: availableAt === Infinity ? null : iso(availableAt),
    acts: actsAt !== null,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
