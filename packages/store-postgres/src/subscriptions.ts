/** Subscriptions as their owners manage them. */
import type { OutboxStore, Subscription, SubscriptionDefinition, SubscriptionName } from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

const columns = `tenant_id, subscription_id, definition, number, version, starts_at, created_at, paused_at, failures, retry_at,
  last_error, last_error_at, last_delivered_at`;

const create: Statement = {
  name: "subscription_create",
  text: `
INSERT INTO runledger.subscriptions (tenant_id, subscription_id, definition, starts_at)
VALUES ($1, $2, $3, CASE WHEN $4 THEN clock_timestamp() ELSE $5::timestamptz END) ON CONFLICT DO NOTHING RETURNING ${columns}`,
};

const get: Statement = {
  name: "subscription_get",
  text: `
SELECT clock_timestamp()::timestamptz(3), s.* FROM (SELECT 1) AS always
LEFT JOIN (SELECT ${columns} FROM runledger.subscriptions WHERE tenant_id = $1 AND subscription_id = $2) AS s ON true`,
};

const list: Statement = {
  name: "subscription_list",
  text: `
SELECT ${columns} FROM runledger.subscriptions
WHERE tenant_id = $1 AND subscription_id > $2 ORDER BY subscription_id LIMIT $3`,
};

const change: Statement = {
  name: "subscription_change",
  text: `
UPDATE runledger.subscriptions SET definition = $3, version = version + 1, retry_at = NULL
WHERE tenant_id = $1 AND subscription_id = $2 RETURNING ${columns}`,
};

const pause: Statement = {
  name: "subscription_pause",
  text: `
UPDATE runledger.subscriptions
SET paused_at = CASE WHEN $3 THEN coalesce(paused_at, clock_timestamp()) END, retry_at = NULL
WHERE tenant_id = $1 AND subscription_id = $2 RETURNING ${columns}`,
};

const rewind: Statement = {
  name: "subscription_rewind",
  text: `
UPDATE runledger.subscriptions SET number = nextval('runledger.subscription_numbers'), filled_to = '', failures = 0,
  starts_at = CASE WHEN $3 THEN clock_timestamp() ELSE $4::timestamptz END,
  retry_at = NULL, last_error = NULL, last_error_at = NULL, last_delivered_at = NULL
WHERE tenant_id = $1 AND subscription_id = $2 RETURNING ${columns}`,
};

const remove: Statement = {
  name: "subscription_remove",
  text: "DELETE FROM runledger.subscriptions WHERE tenant_id = $1 AND subscription_id = $2 RETURNING 1",
};

const any: Statement = { name: "subscription_any", text: "SELECT EXISTS (SELECT FROM runledger.subscriptions)" };

type Subscriptions = Pick<
  OutboxStore,
  | "createSubscription"
  | "getSubscription"
  | "listSubscriptions"
  | "changeSubscription"
  | "pauseSubscription"
  | "rewindSubscription"
  | "removeSubscription"
  | "hasSubscriptions"
>;

export function subscriptions(db: Database): Subscriptions {
  const changed = async (statement: Statement, { tenantId, subscriptionId }: SubscriptionName, ...rest: unknown[]) => {
    const [row] = await db.write(statement, [tenantId, subscriptionId, ...rest]);
    return row === undefined ? null : toSubscription(row);
  };
  return {
    createSubscription: ({ definition, startsAt, ...name }) =>
      changed(create, name, JSON.stringify(definition), ...startOf(startsAt)),
    getSubscription: async ({ tenantId, subscriptionId }) => {
      const [now, ...row] = firstOf(await db.read(get, [tenantId, subscriptionId]));
      return { now: now as string, subscription: row[0] === null ? null : toSubscription(row) };
    },
    listSubscriptions: async ({ tenantId, afterId = "", limit = 1000 }) =>
      (await db.read(list, [tenantId, afterId, limit])).map(toSubscription),
    changeSubscription: (name, definition) => changed(change, name, JSON.stringify(definition)),
    pauseSubscription: (name, isPaused) => changed(pause, name, isPaused),
    rewindSubscription: (name, startsAt) => changed(rewind, name, ...startOf(startsAt)),
    removeSubscription: async ({ tenantId, subscriptionId }) =>
      (await db.write(remove, [tenantId, subscriptionId])).length > 0,
    hasSubscriptions: async () => firstOf(await db.read(any))[0] as boolean,
  };
}

const startOf = (startsAt: string | null): [isNow: boolean, at: string | null] =>
  startsAt === "now" ? [true, null] : [false, startsAt];

function toSubscription(row: Row): Subscription {
  const [tenantId, subscriptionId, definition, number, version, startsAt, createdAt, pausedAt, failures] = row;
  const [retryAt, message, at, lastDeliveredAt] = row.slice(9);
  return {
    tenantId: tenantId as string,
    subscriptionId: subscriptionId as string,
    definition: definition as SubscriptionDefinition,
    number: number as number,
    version: version as number,
    startsAt: startsAt as string | null,
    createdAt: createdAt as string,
    pausedAt: pausedAt as string | null,
    failures: failures as number,
    retryAt: retryAt as string | null,
    lastError: message === null ? null : { at: at as string, message: message as string },
    lastDeliveredAt: lastDeliveredAt as string | null,
  };
}
