/** Queries of the queue. They change nothing. */
import {
  MOST_AHEAD,
  targetsOf,
  type Limit,
  type LimitTarget,
  type LimitUse,
  type QueueCount,
  type QueueEntry,
  type QueueFacts,
  type QueuePage,
} from "@runledger/contracts";
import { keyLimit, limitFor } from "@runledger/core/store";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { following } from "./documents.js";
import { text, type Item } from "./encoding.js";
import { compareIds } from "./heads.js";
import { LAST, queryAll, queryPages } from "./items.js";
import { beginsSince, drainOf, holdersOf, isIn, limitsAt, runningRuns } from "./limits.js";
import { inOrder, readTurns } from "./queue-choice.js";
import { OPEN_RUNS, OWNED, QUEUED } from "./queue-keys.js";
import { readAllDue } from "./queue-ready.js";
import { readRows, type QueuedPlan, type QueueRow } from "./queue-rows.js";
import { readState, type QueueState } from "./queue-state.js";

const HOLDERS = 5;

export async function inspectRun({ client }: Db, runId: string): Promise<QueueFacts | null> {
  const [[row = null], state] = await Promise.all([readRows(client, [runId]), readState(client)]);
  if (row === null) return null;
  const limits = await limitsAt(client, state);
  const uses = await Promise.all(targetsOf(row).map((target) => useOf(client, state, limits, { target, row })));
  return {
    now: iso(client.clock.now()),
    entry: toEntry(row),
    ...(await aheadOf(client, { row, state, limits })),
    startsPerSecond: await drainOf(client, state, { scope: "overall", subject: "" }),
    limits: uses.filter((use) => use !== null),
  };
}

interface Inspected {
  readonly row: QueueRow;
  readonly state: QueueState;
  readonly limits: readonly Limit[];
}

/** Counts started runs first, then queued runs in the order in which they would be claimed without limits. */
async function aheadOf(client: DynamoClient, inspected: Inspected): Promise<Pick<QueueFacts, "ahead" | "aheadOfOwn">> {
  const before = await runsBefore(client, inspected);
  const own = before.filter(({ tenantId }) => tenantId === inspected.row.tenantId);
  return { ahead: Math.min(MOST_AHEAD, before.length), aheadOfOwn: Math.min(MOST_AHEAD, own.length) };
}

async function runsBefore(client: DynamoClient, { row, state, limits }: Inspected): Promise<readonly QueuedPlan[]> {
  const now = client.clock.now();
  if (row.owner !== null || row.availableAt > now) return [];
  const { returning, queued } = await readAllDue(client, now);
  if (row.startedAt !== null) return returning.filter(({ availableAt }) => availableAt < row.availableAt);
  const ordered = inOrder(limits, await readTurns(client, state.served, queued), queued);
  const place = ordered.findIndex(({ runId }) => runId === row.runId);
  return [...returning, ...ordered.slice(0, Math.max(0, place))];
}

async function useOf(
  client: DynamoClient,
  state: QueueState,
  limits: readonly Limit[],
  { target, row }: { readonly target: LimitTarget; readonly row: QueueRow },
): Promise<LimitUse | null> {
  const limit = limitFor(limits, target) ?? keyLimit(target);
  if (limit === null) return null;
  const isKey = target.scope === "concurrencyKey";
  const runs = isKey ? await holdersOf(client, row) : (await runningRuns(client)).filter((run) => isIn(run, target));
  const holders = runs.map(({ runId }) => runId).sort(compareIds);
  return {
    target,
    limit,
    running: holders.length,
    holders: holders.slice(0, HOLDERS),
    rateFreeAt: await rateFreeAt(client, target, limit.rate),
    startsPerSecond: await drainOf(client, state, target),
  };
}

async function rateFreeAt(client: DynamoClient, target: LimitTarget, rate: Limit["rate"]): Promise<string | null> {
  if (rate === null) return null;
  const begins = await beginsSince(client, client.clock.now() - rate.perMs);
  const oldest = begins.filter(({ run }) => isIn(run, target)).at(-rate.starts);
  return oldest === undefined ? null : iso(oldest.at + rate.perMs);
}

export async function listQueue({ client }: Db, page: QueuePage): Promise<QueueEntry[]> {
  const { tenantId, afterRunId = "", limit = 1000 } = page;
  const from = afterRunId === "" ? "" : following(afterRunId);
  const found: QueueEntry[] = [];
  for await (const items of queryPages(client, { pk: OPEN_RUNS, from, to: LAST, limit })) {
    const own = items.filter((item) => tenantId === undefined || text(item, "tenantId") === tenantId);
    const rows = await readRows(
      client,
      own.map((item) => text(item, "runId")),
    );
    found.push(...rows.filter((row) => row !== null).map(toEntry));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Reads index items only, and no rows. */
export async function countQueue({ client }: Db): Promise<QueueCount[]> {
  const [open, queued, owned] = await Promise.all([OPEN_RUNS, QUEUED, OWNED].map((pk) => queryAll(client, { pk })));
  const [all, unstarted] = [byTenant(open!), byTenant(queued!)];
  const running = byTenant(owned!.filter((item) => item["slot"] === true));
  return [...all.keys()].sort(compareIds).map((tenantId) => {
    const counts = { queued: unstarted.get(tenantId) ?? 0, running: running.get(tenantId) ?? 0 };
    return { tenantId, ...counts, waiting: Math.max(0, all.get(tenantId)! - counts.queued - counts.running) };
  });
}

function byTenant(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(text(item, "tenantId"), (counts.get(text(item, "tenantId")) ?? 0) + 1);
  return counts;
}

function toEntry(row: QueueRow): QueueEntry {
  const { runId, tenantId, projectId, planId, planVersion, logFormat, priority, concurrencyKey, owner, slot } = row;
  const { queuedAt, startedAt, availableAt, actsAt } = row;
  const times = {
    queuedAt: iso(queuedAt),
    startedAt: startedAt === null ? null : iso(startedAt),
    dueAt: availableAt === Infinity ? null : iso(availableAt),
  };
  const counted = { tenantId, projectId, planId, concurrencyKey };
  return { runId, planVersion, logFormat, priority, ...counted, ...times, owner, slot, acts: actsAt !== null };
}
