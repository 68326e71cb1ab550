/** Applies the policies on start keys, dead letters and the feed. */
import { EVERY, policyFor, type Purged, type RetentionKind, type RetentionPolicy } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { release } from "./dead-letters.js";
import { json, number, text } from "./encoding.js";
import { hasMembers } from "./feed-members.js";
import { listFollowers, removeFollower } from "./followers.js";
import { deleteItems, getItems, queryPages } from "./items.js";
import { allSubscriptions, deadPartition } from "./outbox-items.js";
import { DELETED, startKey, tickKey, type StartFacts } from "./start-keys.js";
import type { Key } from "./table.js";

export async function purge(db: Db, policies: readonly RetentionPolicy[], limit: number): Promise<Purged> {
  const { client } = db;
  const before = (kind: RetentionKind, tenantId: string): number => {
    const ms = policyFor(policies, kind, { tenantId, workflowId: EVERY })?.deleteAfterMs ?? Infinity;
    return client.clock.now() - ms;
  };
  return {
    startKeys: await purgeStartKeys(client, (tenantId) => before("startKeys", tenantId), limit),
    deadLetters: await purgeDeadLetters(client, (tenantId) => before("deadLetters", tenantId), limit),
    followers: await purgeFollowers(db, before("feed", EVERY)),
  };
}

type Bound = (tenantId: string) => number;

/** The list of deleted runs is in the order of time, so a run of a tenant without a policy does not hide later ones. */
async function purgeStartKeys(client: DynamoClient, bound: Bound, limit: number): Promise<number> {
  let purged = 0;
  for await (const items of queryPages(client, { pk: DELETED })) {
    for (const item of items) {
      const facts = json(item, "d") as StartFacts;
      if (number(item, "at") >= bound(facts.tenantId)) continue;
      purged += await forgetStart(client, facts, text(item, "runId"));
      await deleteItems(client, [{ pk: DELETED, sk: text(item, "sk") }]);
      if (purged >= limit) return purged;
    }
  }
  return purged;
}

/** Keys that another run has meanwhile stay. */
async function forgetStart(client: DynamoClient, facts: StartFacts, runId: string): Promise<number> {
  const { tenantId, keys, tick } = facts;
  const ticks: Key[] = tick === null ? [] : [tickKey(tenantId, tick)];
  const own = [...keys.map(startKey), ...ticks];
  const items = await getItems(client, own);
  const isOwn = (_: Key, index: number): boolean => items[index]?.["runId"] === runId;
  await deleteItems(client, own.filter(isOwn));
  return own.slice(0, keys.length).filter(isOwn).length;
}

async function purgeDeadLetters(client: DynamoClient, bound: Bound, limit: number): Promise<number> {
  let dropped = 0;
  for (const { tenantId, subscriptionId, number: own } of await allSubscriptions(client)) {
    const before = bound(tenantId);
    if (before === -Infinity) continue;
    for await (const items of queryPages(client, { pk: deadPartition(own) }))
      for (const item of items) {
        if (number(item, "deadAt") >= before) continue;
        const name = { tenantId, subscriptionId, runId: text(item, "runId") };
        if (await release(client, name, ({ deliveredSeq }) => deliveredSeq + 1)) dropped++;
        if (dropped >= limit) return dropped;
      }
  }
  return dropped;
}

/** A follower is forgotten with its position if no process of its group is alive. */
async function purgeFollowers(db: Db, before: number): Promise<number> {
  if (before === -Infinity) return 0;
  const old = (await listFollowers(db)).filter(({ savedAt }) => savedAt < before);
  let removed = 0;
  for (const { name } of old) {
    if (await hasMembers(db, name.split("/")[0]!)) continue;
    await removeFollower(db, name);
    removed++;
  }
  return removed;
}
