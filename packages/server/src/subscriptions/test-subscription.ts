import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { bySubscription } from "./subscription-schema.js";

const testResult = z
  .object({
    isDelivered: z.boolean(),
    error: z.string().optional().meta({ description: "Absent if the test event was delivered." }),
  })
  .meta({ id: "TestDelivery", description: "The outcome of a test." });

export const testSubscription = route({
  method: "POST",
  path: "/subscriptions/{subscriptionId}/test",
  operationId: "testSubscription",
  tag: "subscriptions",
  summary: "Send a test event",
  description: "Sends one event of the type `dev.runledger.Test`, once, and returns whether the bus accepted it.",
  role: "operator",
  audited: true,
  params: bySubscription,
  responses: { 200: { description: "The outcome", schema: testResult } },
  problems: ["SUBSCRIPTION_NOT_FOUND"],
  handle: async ({ params: { subscriptionId }, caller: { tenantId }, api }) =>
    ok(await api.ledger.subscriptions.test(subscriptionId, { tenantId })),
});
