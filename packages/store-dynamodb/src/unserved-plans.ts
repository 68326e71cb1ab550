import { workerGap, type UnservedPlan } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { text } from "./encoding.js";
import { compareIds } from "./heads.js";
import { LAST, queryAll } from "./items.js";
import { listWorkers } from "./leases.js";
import { BY_PLAN, prefixOf, SEPARATOR } from "./queue-keys.js";
import { readRows, toQueuedPlan, type QueuedPlan } from "./queue-rows.js";

type Known = Awaited<ReturnType<typeof listWorkers>>;

/**
 * Jumps from one plan, log format and tenant to the next in the index, so that runs with a worker are not read. A run that a
 * live worker owns is served, even if the worker did not report its plan.
 */
export async function listUnserved(db: Db): Promise<UnservedPlan[]> {
  const known = await listWorkers(db);
  const found = new Map<string, UnservedPlan>();
  for await (const { first, prefix } of groups(db.client)) {
    const { planId, planVersion, logFormat, tenantId } = first;
    const missing = workerGap(known, { planId, planVersion, logFormat, tenantId });
    const openRuns = missing === null ? 0 : await countUnowned(db.client, prefix, known);
    if (missing === null || openRuns === 0) continue;
    const key = JSON.stringify([planId, planVersion, logFormat]);
    found.set(key, { planId, planVersion, logFormat, missing, openRuns: openRuns + (found.get(key)?.openRuns ?? 0) });
  }
  return [...found.values()].sort(compare);
}

/** The parts of a sort key before the run. */
const GROUP_PARTS = 4;

async function* groups(client: DynamoClient): AsyncGenerator<{ readonly first: QueuedPlan; readonly prefix: string }> {
  for (let from = ""; ;) {
    const [item] = await queryAll(client, { pk: BY_PLAN, from, to: LAST, limit: 1 });
    if (item === undefined) return;
    const prefix = prefixOf(...text(item, "sk").split(SEPARATOR).slice(0, GROUP_PARTS));
    yield { first: toQueuedPlan(item), prefix };
    from = `${prefix}${LAST}`;
  }
}

async function countUnowned(client: DynamoClient, prefix: string, { now, workers }: Known): Promise<number> {
  const alive = new Set(workers.filter(({ expiresAt }) => expiresAt > now).map(({ workerId }) => workerId));
  const items = await queryAll(client, { pk: BY_PLAN, prefix });
  const rows = await readRows(
    client,
    items.map((item) => text(item, "runId")),
  );
  return rows.filter((row) => row !== null && (row.owner === null || !alive.has(row.owner))).length;
}

function compare(a: UnservedPlan, b: UnservedPlan): number {
  return compareIds(a.planId, b.planId) || compareIds(a.planVersion, b.planVersion) || a.logFormat - b.logFormat;
}
