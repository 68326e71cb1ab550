import { z } from "zod";
import { InputError } from "@runledger/contracts";
import { viewSubscription, type SubscriptionView } from "@runledger/runtime/outbox/subscription-view";
import type { Api } from "../http/api.js";
import { identifier, instant } from "../http/schemas.js";

export const bySubscription = z.object({ subscriptionId: identifier });

const names = z.array(identifier).min(1).max(500);

export const subscriptionFilter = z
  .strictObject({
    workflows: names.optional().meta({ description: "Ids of workflows." }),
    eventTypes: names.optional().meta({ description: "Types of events, such as `RunCompleted`." }),
    labels: z
      .record(identifier, z.string().max(255))
      .optional()
      .meta({ description: "A run needs all of these labels." }),
  })
  .meta({ id: "SubscriptionFilter", description: "Selects events. An absent part selects everything." });

export const busSettings = z.looseObject({ type: identifier }).meta({
  id: "BusSettings",
  description:
    "The type of the bus and its settings. A `webhook` has `url`, `secrets` (names of signing keys) and `batchSize`. " +
    "`openlineage` has `url`, `namespace` and `secret` (name of an API key that starts with `lineage-`).",
});

export const startFrom = z
  .string()
  .max(50)
  .meta({ description: "`beginning`, `now` or an ISO 8601 time.", examples: ["beginning"] });

export const subscription = z
  .object({
    subscriptionId: z.string(),
    bus: busSettings,
    filter: subscriptionFilter,
    maxAttempts: z.int().meta({ description: "Failed attempts after which an event becomes a dead letter." }),
    startsAt: instant
      .nullable()
      .meta({ description: "Events that were stored earlier are not delivered. `null` if all are." }),
    createdAt: instant,
    state: z
      .enum(["active", "paused", "unavailable"])
      .meta({ description: "`unavailable` while the bus cannot be reached. Events wait and nothing is lost." }),
    pausedAt: instant.nullable().meta({ description: "`null` if the subscription is not paused." }),
    pendingRuns: z.int().meta({ description: "Runs with events that were not delivered, at most 10,000." }),
    oldestPendingAt: instant
      .nullable()
      .meta({ description: "Time since which the oldest of them waits. `null` if there is none." }),
    lagSeconds: z.number().meta({ description: "Seconds since `oldestPendingAt`. 0 if nothing waits." }),
    deadLetters: z.int().meta({ description: "Runs that wait behind a dead letter, at most 10,000." }),
    isFilling: z
      .boolean()
      .meta({ description: "`true` while runs that existed before the subscription are being listed." }),
    failures: z.int().meta({ description: "Consecutive attempts at which the bus was unavailable." }),
    retryAt: instant
      .nullable()
      .meta({ description: "No delivery is attempted before this time. `null` if the bus is available." }),
    lastError: z
      .object({ at: instant, message: z.string() })
      .nullable()
      .meta({ description: "The last failed attempt. `null` if none failed." }),
    lastDeliveredAt: instant.nullable().meta({ description: "`null` if nothing was delivered." }),
  })
  .meta({ id: "Subscription", description: "A subscription to the events of the tenant's runs, and how far it is." });

/** Throws SUBSCRIPTION_NOT_FOUND. */
export async function readSubscription(
  { ledger }: Api,
  tenantId: string,
  subscriptionId: string,
): Promise<SubscriptionView> {
  const view = await viewSubscription(ledger.store.outbox, { tenantId, subscriptionId });
  if (view !== null) return view;
  const message = `${subscriptionId} does not exist. List the subscriptions with GET /subscriptions.`;
  throw new InputError("SUBSCRIPTION_NOT_FOUND", "subscriptionId", message);
}
