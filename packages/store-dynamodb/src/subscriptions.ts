import type { OutboxStore, Subscription, SubscriptionDefinition, SubscriptionName } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import {
  changeDocument,
  changedDocument,
  listDocuments,
  newDocument,
  nextNumber,
  readDocument,
  tryTransact,
  untilCurrent,
} from "./documents.js";
import { equals } from "./conditions.js";
import { queryAll } from "./items.js";
import {
  retireNumber,
  SUBSCRIPTIONS,
  subscriptionKey,
  subscriptionSort,
  visible,
  type SubscriptionRow,
} from "./outbox-items.js";
import { part, prefixOf } from "./queue-keys.js";

type Subscriptions = Pick<OutboxStore, `${"create" | "get" | "change" | "pause" | "rewind" | "remove"}Subscription`> &
  Pick<OutboxStore, "listSubscriptions" | "hasSubscriptions">;

export function subscriptions({ client }: Db): Subscriptions {
  const now = (): string => iso(client.clock.now());
  const change = async (name: SubscriptionName, parts: (row: SubscriptionRow) => Partial<SubscriptionRow>) => {
    const row = await changeDocument<SubscriptionRow>(client, subscriptionKey(name), (one) => ({
      ...one,
      ...parts(one),
    }));
    return row === null ? null : visible(row);
  };
  return {
    createSubscription: (params) => create(client, params),
    getSubscription: async (name) => {
      const stored = await readDocument<SubscriptionRow>(client, subscriptionKey(name));
      return { now: now(), subscription: stored === null ? null : visible(stored.value) };
    },
    listSubscriptions: async ({ tenantId, afterId, limit = 1000 }) => {
      const after = afterId === undefined ? "" : subscriptionSort({ tenantId, subscriptionId: afterId });
      const page = { pk: SUBSCRIPTIONS, prefix: prefixOf(part(tenantId)), after, limit };
      return (await listDocuments<SubscriptionRow>(client, page)).map(visible);
    },
    changeSubscription: (name, definition: SubscriptionDefinition) =>
      change(name, ({ version }) => ({ definition, version: version + 1, retryAt: null })),
    pauseSubscription: (name, isPaused) =>
      change(name, ({ pausedAt }) => ({ pausedAt: isPaused ? (pausedAt ?? now()) : null, retryAt: null })),
    rewindSubscription: (name, startsAt) => rewind(client, name, startsAt),
    removeSubscription: (name) => remove(client, name),
    hasSubscriptions: async () => (await queryAll(client, { pk: SUBSCRIPTIONS, limit: 1 })).length > 0,
  };
}

/** The state of a subscription that has delivered nothing. */
async function beginning(client: DynamoClient, startsAt: string | null) {
  const at = startsAt === "now" ? iso(client.clock.now()) : startsAt;
  const none = { failures: 0, retryAt: null, lastError: null, lastDeliveredAt: null };
  const number = await nextNumber(client, "subscriptions");
  return { number, startsAt: at, isFilling: true, filledTo: "", ...none };
}

async function create(
  client: DynamoClient,
  params: Parameters<OutboxStore["createSubscription"]>[0],
): Promise<Subscription | null> {
  const { tenantId, subscriptionId, definition, startsAt } = params;
  const createdAt = iso(client.clock.now());
  const name = { tenantId, subscriptionId, definition };
  const row = { ...name, version: 1, createdAt, pausedAt: null, ...(await beginning(client, startsAt)) };
  return (await tryTransact(client, [newDocument(subscriptionKey(params), row)])) ? visible(row) : null;
}

function rewind(client: DynamoClient, name: SubscriptionName, startsAt: string | null): Promise<Subscription | null> {
  return untilCurrent(async () => {
    const stored = await readDocument<SubscriptionRow>(client, subscriptionKey(name));
    if (stored === null) return null;
    const row = { ...stored.value, ...(await beginning(client, startsAt)) };
    const retired = retireNumber(stored.value.number, client.clock.now());
    const isDone = await tryTransact(client, [changedDocument(subscriptionKey(name), row, stored.revision), retired]);
    return isDone ? visible(row) : undefined;
  });
}

function remove(client: DynamoClient, name: SubscriptionName): Promise<boolean> {
  return untilCurrent(async () => {
    const stored = await readDocument<SubscriptionRow>(client, subscriptionKey(name));
    if (stored === null) return false;
    const when = equals({ revision: stored.revision });
    const retired = retireNumber(stored.value.number, client.clock.now());
    return (await tryTransact(client, [{ kind: "delete", key: subscriptionKey(name), when }, retired])) || undefined;
  });
}
