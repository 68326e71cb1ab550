/** Items of the outbox: subscriptions, the deliveries of each run, and lists of pending and dead ones. */
import { isDeepStrictEqual } from "node:util";
import type { Subscription, SubscriptionName } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals } from "./conditions.js";
import { listDocuments } from "./documents.js";
import { json, number, type Item } from "./encoding.js";
import { getItems } from "./items.js";
import { joined, part, timeKey } from "./queue-keys.js";
import type { Key } from "./table.js";

export const SUBSCRIPTIONS = "SUB#all";

export interface SubscriptionRow extends Subscription {
  /** `true` while the runs that existed before are not listed. */
  readonly isFilling: boolean;
  /** The last run that was listed. */
  readonly filledTo: string;
}

export const subscriptionSort = ({ tenantId, subscriptionId }: SubscriptionName): string =>
  joined(part(tenantId), part(subscriptionId));
export const subscriptionKey = (name: SubscriptionName): Key => ({ pk: SUBSCRIPTIONS, sk: subscriptionSort(name) });

export function visible({ isFilling: _, filledTo: __, ...row }: SubscriptionRow): Subscription {
  return row;
}

export function allSubscriptions(client: DynamoClient): Promise<SubscriptionRow[]> {
  return listDocuments<SubscriptionRow>(client, { pk: SUBSCRIPTIONS, limit: Infinity });
}

/** How far one run was delivered to one subscription. Times are milliseconds since 1970. */
export interface DeliveryRow {
  readonly deliveredSeq: number;
  readonly headSeq: number;
  readonly isExcluded: boolean;
  readonly dueAt: number;
  readonly pendingSince: number;
  readonly token: string | null;
  readonly attempts: number;
  readonly failedAt: number | null;
  readonly error: string | null;
  readonly deadAt: number | null;
}

export interface StoredDelivery {
  readonly runId: string;
  readonly row: DeliveryRow;
  readonly version: number;
}

/** Deliveries of a subscription, by run. Its number is in the key, so a rewind starts with none. */
export const deliveriesPartition = (subscription: number): string => `OUT#${subscription}`;
export const pendingPartition = (subscription: number): string => `OUT#pending#${subscription}`;
export const deadPartition = (subscription: number): string => `DEAD#${subscription}`;
const deliveryKey = (subscription: number, runId: string): Key => ({
  pk: deliveriesPartition(subscription),
  sk: runId,
});

export async function readDeliveries(
  client: DynamoClient,
  subscription: number,
  runIds: readonly string[],
): Promise<(StoredDelivery | null)[]> {
  const items = await getItems(
    client,
    runIds.map((runId) => deliveryKey(subscription, runId)),
  );
  return items.map((item, index) => {
    if (item === null) return null;
    return { runId: runIds[index]!, row: json(item, "d") as DeliveryRow, version: number(item, "version") };
  });
}

export const isPending = (row: DeliveryRow): boolean => row.deliveredSeq < row.headSeq && !row.isExcluded;

/** Replaces the deliveries of a run, if they are still the ones that were read. `null` stands for none. */
export function writeDelivery(
  subscription: number,
  runId: string,
  before: StoredDelivery | null,
  after: DeliveryRow | null,
): WriteAction[] {
  const key = deliveryKey(subscription, runId);
  const when = before === null ? absent : equals({ version: before.version });
  const [old, list] = [
    before === null ? [] : listItems(subscription, runId, before.row),
    after === null ? [] : listItems(subscription, runId, after),
  ];
  const isAt = (one: Key) => (other: Key) => one.pk === other.pk && one.sk === other.sk;
  return [
    after === null
      ? { kind: "delete", key, when }
      : { kind: "put", item: { ...key, version: (before?.version ?? 0) + 1, d: JSON.stringify(after) }, when },
    ...list
      .filter((item) => !isDeepStrictEqual(old.find(isAt(item)), item))
      .map((item): WriteAction => ({ kind: "put", item })),
    ...old
      .filter((item) => !list.some(isAt(item)))
      .map(({ pk, sk }): WriteAction => ({ kind: "delete", key: { pk, sk } })),
  ];
}

/** A pending run is in the list of those that are due, or in the list of dead letters. */
function listItems(subscription: number, runId: string, row: DeliveryRow): (Item & Key)[] {
  if (!isPending(row)) return [];
  const { pendingSince, dueAt, deadAt } = row;
  if (deadAt !== null) return [{ pk: deadPartition(subscription), sk: runId, runId, pendingSince, deadAt }];
  const sk = joined(timeKey(dueAt), part(runId));
  return [{ pk: pendingPartition(subscription), sk, runId, pendingSince }];
}

/** Numbers of subscriptions that were removed or rewound, for the sweep. */
export const RETIRED = "OUT#retired";
const RETIRED_TTL_S = 24 * 3600;

export function retireNumber(subscription: number, now: number): WriteAction {
  return {
    kind: "put",
    item: { pk: RETIRED, sk: String(subscription), subscription, ttl: Math.ceil(now / 1000) + RETIRED_TTL_S },
  };
}
