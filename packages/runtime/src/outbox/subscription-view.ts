/** Subscriptions as the API and the command line show them: with their state and how far they are. */
import type {
  OutboxStore,
  Subscription,
  SubscriptionDefinition,
  SubscriptionName,
  SubscriptionStatus,
} from "@runledger/contracts";

/** Without the parts that only outboxes use. */
type Visible = Omit<Subscription, "tenantId" | "number" | "version" | "definition">;

export interface SubscriptionView extends Visible, SubscriptionDefinition, SubscriptionStatus {
  /** `unavailable` while its bus cannot be reached. */
  readonly state: "active" | "paused" | "unavailable";
  /** Age of the oldest undelivered change of a run. 0 if nothing waits. */
  readonly lagSeconds: number;
}

/** Resolves to `null` if there is no such subscription. */
export async function viewSubscription(outbox: OutboxStore, name: SubscriptionName): Promise<SubscriptionView | null> {
  const { now, subscription } = await outbox.getSubscription(name);
  return subscription === null ? null : viewOf(outbox, subscription, now);
}

/** Lists subscriptions by id. One that is removed meanwhile is left out. */
export async function viewSubscriptions(
  outbox: OutboxStore,
  page: Parameters<OutboxStore["listSubscriptions"]>[0],
): Promise<readonly SubscriptionView[]> {
  const subscriptions = await outbox.listSubscriptions(page);
  const [first] = subscriptions;
  if (first === undefined) return [];
  const { now } = await outbox.getSubscription(first); // lags are measured by the store's clock
  const views = await Promise.all(subscriptions.map((each) => viewOf(outbox, each, now)));
  return views.filter((view) => view !== null);
}

async function viewOf(outbox: OutboxStore, subscription: Subscription, now: string): Promise<SubscriptionView | null> {
  const status = await outbox.subscriptionStatus(subscription);
  if (status === null) return null;
  const { tenantId: _, number: __, version: ___, definition, ...rest } = subscription;
  return { ...definition, ...rest, ...status, state: stateOf(subscription), lagSeconds: secondsSince(status, now) };
}

function stateOf({ pausedAt, failures }: Subscription): SubscriptionView["state"] {
  if (pausedAt !== null) return "paused";
  return failures > 0 ? "unavailable" : "active";
}

function secondsSince({ oldestPendingAt }: SubscriptionStatus, now: string): number {
  if (oldestPendingAt === null) return 0;
  return Math.max(0, Date.parse(now) - Date.parse(oldestPendingAt)) / 1000;
}
