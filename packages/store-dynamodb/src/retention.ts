import type { DueRun, RetentionGroup, RetentionPolicy, RetentionStore, RetentionTarget } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import { present } from "./conditions.js";
import type { Db } from "./db.js";
import { deleteRun } from "./delete-run.js";
import { following, tryTransact } from "./documents.js";
import { duePartition, GROUPS } from "./due-runs.js";
import { json, number, numberOrNull, text, type Item } from "./encoding.js";
import { compareIds } from "./heads.js";
import { holdRun } from "./hold-run.js";
import { getItems, putItems, queryAll, queryPages } from "./items.js";
import { purge } from "./purge.js";
import { joined, part } from "./queue-keys.js";
import { sweepDeleted } from "./sweep-deleted.js";
import { projectionKey, type Key } from "./table.js";

const POLICIES = "POLICY#all";
const nameOf = ({ kind, tenantId, workflowId }: RetentionTarget): string => joined(kind, tenantId, workflowId);
const policyKey = (target: RetentionTarget): Key => ({
  pk: POLICIES,
  sk: joined(target.kind, part(target.tenantId), part(target.workflowId)),
});

export function retention(db: Db): RetentionStore {
  const { client } = db;
  return {
    setPolicy: (policy) => putItems(client, [{ ...policyKey(policy), d: JSON.stringify(policy) }]),
    removePolicy: (target) => tryTransact(client, [{ kind: "delete", key: policyKey(target), when: present }]),
    listPolicies: () => listPolicies(client),
    listGroups: ({ tenantId, after, limit = 1000 } = {}) => listGroups(client, { tenantId, after, limit }),
    listDue: ({ limit = 100, ...params }) => listDue(client, { ...params, limit }),
    holdRun: (runId) => holdRun(db, runId),
    deleteRun: (runId) => deleteRun(db, runId),
    sweepDeleted: () => sweepDeleted(db),
    purge: async ({ limit = 1000 } = {}) => purge(db, await listPolicies(client), limit),
  };
}

async function listPolicies(client: DynamoClient): Promise<RetentionPolicy[]> {
  const policies = (await queryAll(client, { pk: POLICIES })).map((item) => json(item, "d") as RetentionPolicy);
  return policies.sort((a, b) => compareIds(nameOf(a), nameOf(b)));
}

const compareGroups = (a: RetentionGroup, b: RetentionGroup): number =>
  compareIds(a.tenantId, b.tenantId) || compareIds(a.workflowId, b.workflowId);

/** The list has every workflow that ever had a finished run. Those without any are left out. */
async function listGroups(
  client: DynamoClient,
  params: { readonly tenantId: string | undefined; readonly after: RetentionGroup | undefined; readonly limit: number },
): Promise<RetentionGroup[]> {
  const { tenantId, after, limit } = params;
  const known = (await queryAll(client, { pk: GROUPS })).map((item) => ({
    tenantId: text(item, "tenantId"),
    workflowId: text(item, "workflowId"),
  }));
  const wanted = known
    .filter((group) => tenantId === undefined || group.tenantId === tenantId)
    .filter((group) => after === undefined || compareGroups(group, after) > 0)
    .sort(compareGroups);
  const found: RetentionGroup[] = [];
  for (const group of wanted) {
    if (found.length >= limit) break;
    if (await hasRuns(client, group)) found.push(group);
  }
  return found;
}

async function hasRuns(client: DynamoClient, { tenantId, workflowId }: RetentionGroup): Promise<boolean> {
  for await (const page of queryPages(client, { pk: duePartition(tenantId, workflowId), limit: 100 }))
    if ((await withoutHeld(client, page)).length > 0) return true;
  return false;
}

type DueParams = Parameters<RetentionStore["listDue"]>[0] & { readonly limit: number };

async function listDue(client: DynamoClient, params: DueParams): Promise<DueRun[]> {
  const { tenantId, workflowId, archived, olderThanMs, after, limit } = params;
  const before = iso(client.clock.now() - olderThanMs);
  const place = archived ? "1" : "0";
  const from = after === undefined ? `${place}|` : following(`${place}|${after.completedAt}|${after.runId}`);
  const found: DueRun[] = [];
  const range = { pk: duePartition(tenantId, workflowId), from, to: `${place}|${before}`, limit };
  for await (const page of queryPages(client, range)) {
    const due = (await withoutHeld(client, page)).map((item) => ({
      runId: text(item, "runId"),
      completedAt: text(item, "completedAt"),
    }));
    found.push(...due.filter(({ completedAt }) => completedAt < before));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** A run is set aside until its projection has another generation. */
async function withoutHeld(client: DynamoClient, items: readonly Item[]): Promise<Item[]> {
  const held = items.filter((item) => "held" in item);
  const projections = await getItems(
    client,
    held.map((item) => projectionKey(text(item, "runId"))),
  );
  const isStillHeld = (item: Item): boolean => {
    const projection = projections[held.indexOf(item)] ?? null;
    const generation = projection === null ? 0 : (numberOrNull(projection, "generation") ?? 0);
    return held.includes(item) && number(item, "held") === generation;
  };
  return items.filter((item) => !isStillHeld(item));
}
