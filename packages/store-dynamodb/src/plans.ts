import {
  omitUndefined,
  PlanVersionTakenError,
  type Plan,
  type PlanNotes,
  type PlanRef,
  type PublishedPlan,
  type Visibility,
} from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import { absent, equals } from "./conditions.js";
import type { Db } from "./db.js";
import { following, tryTransact, untilCurrent } from "./documents.js";
import { json, number, text, type Item } from "./encoding.js";
import { getItem, LAST, queryPages } from "./items.js";
import { putParts, queryWhole } from "./parts.js";
import { joined, part, prefixOf } from "./queue-keys.js";
import type { Key } from "./table.js";

/** Small items for lists. Content and notes are items of their own, because both may be large. */
const PUBLISHED = "PLANS#all";
const sortKey = ({ planId, planVersion }: PlanRef): string => joined(part(planId), part(planVersion));
const publishedKey = (ref: PlanRef): Key => ({ pk: PUBLISHED, sk: sortKey(ref) });
const contentKey = (ref: PlanRef): Key => ({ pk: `PLAN#${sortKey(ref)}`, sk: "content" });
const notesKey = (ref: PlanRef): Key => ({ pk: `PLAN#${sortKey(ref)}`, sk: "notes" });

export async function registerPlan({ client }: Db, plan: Plan, notes: PlanNotes = {}): Promise<void> {
  await untilCurrent(async () => {
    const published = await getItem(client, publishedKey(plan));
    const hash = published === null ? plan.hash : text(published, "hash");
    if (hash !== plan.hash) throw new PlanVersionTakenError(plan.planId, plan.planVersion, hash);
    if (published !== null && Object.keys(notes).length === 0) return true;
    const all = { ...(published === null ? {} : await loadNotes({ client }, plan)), ...notes };
    const actions = published === null ? publish(client, plan, all) : [changedNotes(plan, published, all)];
    return (
      (await tryTransact(client, [...actions, ...putParts({ ...notesKey(plan) }, JSON.stringify(all))])) || undefined
    );
  });
}

function publish(client: DynamoClient, plan: Plan, notes: PlanNotes): WriteAction[] {
  const { planId, planVersion, hash } = plan;
  const facts = { planId, planVersion, hash, publishedAt: client.clock.now(), revision: 1, ...noted(notes) };
  return [
    { kind: "put", item: { ...publishedKey(plan), ...facts }, when: absent },
    ...putParts({ ...contentKey(plan) }, JSON.stringify(plan)),
  ];
}

function changedNotes(plan: PlanRef, published: Item, notes: PlanNotes): WriteAction {
  const revision = number(published, "revision");
  const item = { ...published, ...publishedKey(plan), ...noted(notes), revision: revision + 1 };
  return { kind: "put", item, when: equals({ revision }) };
}

function noted({ source, visibility }: PlanNotes): Item {
  return { hasSource: source !== undefined, visibility: visibility === undefined ? null : JSON.stringify(visibility) };
}

async function readWhole(client: DynamoClient, { pk, sk }: Key): Promise<unknown> {
  const [item] = await queryWhole(client, { pk, from: sk, to: `${sk}#~` });
  return item === undefined ? null : json(item, "d");
}

export async function loadNotes({ client }: Pick<Db, "client">, ref: PlanRef): Promise<PlanNotes> {
  const notes = (await readWhole(client, notesKey(ref))) as PlanNotes | null;
  return notes ?? {};
}

export async function loadPlan({ client }: Db, ref: PlanRef): Promise<Plan | null> {
  return (await readWhole(client, contentKey(ref))) as Plan | null;
}

export async function listPlans(
  { client }: Db,
  params: {
    readonly planId: string | undefined;
    readonly after: PlanRef | undefined;
    readonly limit: number;
    readonly withSource: boolean;
  },
): Promise<PublishedPlan[]> {
  const { planId, after, limit, withSource } = params;
  const prefix = planId === undefined ? "" : prefixOf(part(planId));
  const start = after === undefined ? "" : following(sortKey(after));
  const from = start > prefix ? start : prefix;
  const found: PublishedPlan[] = [];
  for await (const items of queryPages(client, { pk: PUBLISHED, from, to: `${prefix}${LAST}` })) {
    found.push(...items.map(toPublished).filter(({ hasSource }) => hasSource || !withSource));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

function toPublished(item: Item): PublishedPlan {
  const visibility = "visibility" in item ? (json(item, "visibility") as Visibility) : undefined;
  return {
    planId: text(item, "planId"),
    planVersion: text(item, "planVersion"),
    hash: text(item, "hash"),
    publishedAt: iso(number(item, "publishedAt")),
    hasSource: item["hasSource"] === true,
    ...omitUndefined({ visibility }),
  };
}
