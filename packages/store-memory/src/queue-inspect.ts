/** What can be asked of the queue. Nothing is changed. */
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
import { allLimits, begunWithin, drainOf, holdersOf } from "./limits.js";
import { inOrder } from "./queue-claim.js";
import type { QueueRow, Tables } from "./tables.js";

const HOLDERS = 5;

export function inspectRun(tables: Tables, runId: string): QueueFacts | null {
  const row = tables.queue.get(runId);
  if (row === undefined) return null;
  return {
    now: iso(tables.now()),
    entry: toEntry(row),
    ahead: aheadOf(tables, row),
    startsPerSecond: drainOf(tables, { scope: "overall", subject: "" }),
    limits: targetsOf(row).flatMap((target) => useOf(tables, target) ?? []),
  };
}

/** What has begun comes first; then the order in which runs would be claimed, if there were room for all. */
function aheadOf(tables: Tables, row: QueueRow): number {
  const now = tables.now();
  if (row.owner !== null || row.availableAt > now) return 0;
  const due = [...tables.queue.values()].filter(({ owner, availableAt }) => owner === null && availableAt <= now);
  const begun = due.filter(({ startedAt }) => startedAt !== null);
  if (row.startedAt !== null) return begun.filter(({ availableAt }) => availableAt < row.availableAt).length;
  const queued = due.filter(({ startedAt }) => startedAt === null);
  return Math.min(MOST_AHEAD, begun.length + inOrder(tables, queued).indexOf(row));
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
  const oldest = begunWithin(tables, target, rate.perMs).at(-rate.starts);
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
