import { ok, route } from "../http/define-route.js";
import { bySubscription, readSubscription, subscription } from "./subscription-schema.js";

export const getSubscription = route({
  method: "GET",
  path: "/subscriptions/{subscriptionId}",
  operationId: "getSubscription",
  tag: "subscriptions",
  summary: "Get a subscription",
  description: "Returns the subscription with its backlog, lag and last error.",
  role: "viewer",
  params: bySubscription,
  responses: { 200: { description: "The subscription", schema: subscription } },
  problems: ["SUBSCRIPTION_NOT_FOUND"],
  handle: async ({ params: { subscriptionId }, caller: { tenantId }, api }) =>
    ok(await readSubscription(api, tenantId, subscriptionId)),
});
