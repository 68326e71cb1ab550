import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { bySubscription, readSubscription, startFrom, subscription } from "./subscription-schema.js";

const rewindRequest = z
  .strictObject({ from: startFrom })
  .meta({ id: "RewindRequest", description: "The new start of a subscription." });

export const rewindSubscription = route({
  method: "POST",
  path: "/subscriptions/{subscriptionId}/rewind",
  operationId: "rewindSubscription",
  tag: "subscriptions",
  summary: "Rewind a subscription",
  description: "Delivers everything from this point again, and forgets dead letters. With `now`, it skips what waits.",
  role: "engineer",
  audited: true,
  params: bySubscription,
  body: rewindRequest,
  responses: { 200: { description: "The subscription", schema: subscription } },
  problems: ["SUBSCRIPTION_NOT_FOUND", "SUBSCRIPTION_INVALID"],
  handle: async ({ params: { subscriptionId }, body: { from }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.rewind(subscriptionId, from, { tenantId });
    return ok(await readSubscription(api, tenantId, subscriptionId));
  },
});
