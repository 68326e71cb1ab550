import type { OutboxStore, Subscription, SubscriptionName } from "@runledger/contracts";
import { deadLetters } from "./dead-letters.js";
import { deliveries } from "./deliveries.js";
import { compareIds } from "./heads.js";
import { iso, keyOf, put, visible, type SubscriptionRow } from "./outbox-tables.js";
import type { Tables } from "./tables.js";

export function outbox(tables: Tables): OutboxStore {
  const { subscriptions } = tables.outbox;
  const change = (name: SubscriptionName, parts: (row: SubscriptionRow) => Partial<SubscriptionRow>) => {
    const row = subscriptions.get(keyOf(name));
    return row === undefined ? null : put(tables, { ...row, ...parts(row) });
  };
  return {
    createSubscription: async (params) => (subscriptions.has(keyOf(params)) ? null : create(tables, params)),
    getSubscription: async (name) => {
      const row = subscriptions.get(keyOf(name));
      return { now: iso(tables.now()), subscription: row === undefined ? null : visible(row) };
    },
    listSubscriptions: async ({ tenantId, afterId = "", limit = 1000 }) =>
      [...subscriptions.values()]
        .filter((row) => row.tenantId === tenantId && compareIds(row.subscriptionId, afterId) > 0)
        .sort((a, b) => compareIds(a.subscriptionId, b.subscriptionId))
        .slice(0, limit)
        .map(visible),
    changeSubscription: async (name, definition) =>
      change(name, ({ version }) => ({ definition: structuredClone(definition), version: version + 1, retryAt: null })),
    pauseSubscription: async (name, isPaused) =>
      change(name, ({ pausedAt }) => ({ pausedAt: isPaused ? (pausedAt ?? iso(tables.now())) : null, retryAt: null })),
    rewindSubscription: async (name, startsAt) => change(name, () => beginning(tables, startsAt)),
    removeSubscription: async (name) => subscriptions.delete(keyOf(name)),
    hasSubscriptions: async () => subscriptions.size > 0,
    ...deliveries(tables),
    ...deadLetters(tables),
  };
}

/** The state of a subscription that has delivered nothing. */
function beginning(tables: Tables, startsAt: string | null) {
  const at = startsAt === "now" ? iso(tables.now()) : startsAt;
  const none = { failures: 0, retryAt: null, lastError: null, lastDeliveredAt: null };
  return { number: ++tables.outbox.lastNumber, startsAt: at, isFilling: true, ...none };
}

function create(tables: Tables, params: Parameters<OutboxStore["createSubscription"]>[0]): Subscription {
  const { tenantId, subscriptionId, definition, startsAt } = params;
  const createdAt = iso(tables.now());
  const name = { tenantId, subscriptionId, definition: structuredClone(definition) };
  return put(tables, { ...name, version: 1, createdAt, pausedAt: null, ...beginning(tables, startsAt) });
}
