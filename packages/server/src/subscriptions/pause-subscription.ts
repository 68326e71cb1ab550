import { ok, route } from "../http/define-route.js";
import { bySubscription, readSubscription, subscription } from "./subscription-schema.js";

export const pauseSubscription = route({
  method: "POST",
  path: "/subscriptions/{subscriptionId}/pause",
  operationId: "pauseSubscription",
  tag: "subscriptions",
  summary: "Pause a subscription",
  description: "Events that are recorded meanwhile are delivered after it is resumed.",
  role: "operator",
  audited: true,
  params: bySubscription,
  responses: { 200: { description: "The subscription", schema: subscription } },
  problems: ["SUBSCRIPTION_NOT_FOUND"],
  handle: async ({ params: { subscriptionId }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.pause(subscriptionId, { tenantId });
    return ok(await readSubscription(api, tenantId, subscriptionId));
  },
});

export const resumeSubscription = route({
  method: "POST",
  path: "/subscriptions/{subscriptionId}/resume",
  operationId: "resumeSubscription",
  tag: "subscriptions",
  summary: "Resume a subscription",
  description: "Also retries a bus that was unavailable immediately.",
  role: "operator",
  audited: true,
  params: bySubscription,
  responses: { 200: { description: "The subscription", schema: subscription } },
  problems: ["SUBSCRIPTION_NOT_FOUND"],
  handle: async ({ params: { subscriptionId }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.resume(subscriptionId, { tenantId });
    return ok(await readSubscription(api, tenantId, subscriptionId));
  },
});
