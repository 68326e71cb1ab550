import { route } from "../http/define-route.js";
import { bySubscription } from "./subscription-schema.js";

export const removeSubscription = route({
  method: "DELETE",
  path: "/subscriptions/{subscriptionId}",
  operationId: "removeSubscription",
  tag: "subscriptions",
  summary: "Delete a subscription",
  description: "Also deletes its dead letters. Events that were not delivered remain in the log only.",
  role: "engineer",
  audited: true,
  params: bySubscription,
  responses: { 204: { description: "The subscription is deleted" } },
  problems: ["SUBSCRIPTION_NOT_FOUND"],
  handle: async ({ params: { subscriptionId }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.remove(subscriptionId, { tenantId });
    return { status: 204 };
  },
});
