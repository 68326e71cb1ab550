import type { Subscription, SubscriptionName } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export interface OutboxTables {
  /** By tenant and id. */
  readonly subscriptions: Map<string, SubscriptionRow>;
  /** By number, then by run. */
  readonly deliveries: Map<number, Map<string, DeliveryRow>>;
  lastNumber: number;
}

export interface SubscriptionRow extends Subscription {
  /** `true` while the runs that existed before are not listed. */
  readonly isFilling: boolean;
}

export function emptyOutbox(): OutboxTables {
  return { subscriptions: new Map(), deliveries: new Map(), lastNumber: 0 };
}

export const keyOf = ({ tenantId, subscriptionId }: SubscriptionName): string =>
  JSON.stringify([tenantId, subscriptionId]);
export const iso = (ms: number): string => new Date(ms).toISOString();

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

export function visible({ isFilling: _, ...row }: SubscriptionRow): Subscription {
  return row;
}

export function put(tables: Tables, row: SubscriptionRow): Subscription {
  tables.outbox.subscriptions.set(keyOf(row), row);
  return visible(row);
}

export function rowsOf(tables: Tables, number: number): Map<string, DeliveryRow> {
  const rows = tables.outbox.deliveries.get(number) ?? new Map<string, DeliveryRow>();
  tables.outbox.deliveries.set(number, rows);
  return rows;
}
