import { z } from "zod";
import { omitUndefined, type BusSettings, type SubscriptionFilter } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import {
  busSettings,
  bySubscription,
  readSubscription,
  startFrom,
  subscription,
  subscriptionFilter,
} from "./subscription-schema.js";

const subscriptionRequest = z
  .strictObject({
    bus: busSettings,
    filter: subscriptionFilter.optional(),
    maxAttempts: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: "Failed attempts after which an event becomes a dead letter. Defaults to 20." }),
    from: startFrom
      .optional()
      .meta({ description: "Start of a new subscription: `beginning`, `now` or an ISO 8601 time. Defaults to `now`." }),
  })
  .meta({ id: "SubscriptionRequest", description: "A subscription. Secrets are named, never included." });

export const putSubscription = route({
  method: "PUT",
  path: "/subscriptions/{subscriptionId}",
  operationId: "putSubscription",
  tag: "subscriptions",
  summary: "Create or replace a subscription",
  description:
    "Delivers events of the caller's tenant. A replaced subscription continues where it was, and ignores `from`.",
  role: "engineer",
  audited: true,
  params: bySubscription,
  body: subscriptionRequest,
  responses: { 200: { description: "The subscription", schema: subscription } },
  problems: ["SUBSCRIPTION_INVALID", "PAYLOAD_TOO_LARGE", "PAYLOAD_NOT_JSON"],
  handle: async ({ params: { subscriptionId: id }, body, caller: { tenantId }, api }) => {
    const { bus, filter, maxAttempts, from } = body;
    const selected = filter && (omitUndefined(filter) as SubscriptionFilter);
    const options = omitUndefined({ filter: selected, maxAttempts, from });
    await api.ledger.subscriptions.put({ id, tenantId, bus: bus as BusSettings, ...options });
    return ok(await readSubscription(api, tenantId, id));
  },
});
