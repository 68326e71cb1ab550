import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { viewSubscriptions } from "@runledger/runtime/outbox/subscription-view";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, limitParam, pageOf } from "../http/schemas.js";
import { subscription } from "./subscription-schema.js";

export const listSubscriptions = route({
  method: "GET",
  path: "/subscriptions",
  operationId: "listSubscriptions",
  tag: "subscriptions",
  summary: "List subscriptions",
  description: "Returns the tenant's subscriptions by id, with their backlog, lag and last error.",
  role: "viewer",
  query: z.strictObject({ after: identifier.optional().meta(afterParam), limit: limitParam(100, 50) }),
  responses: { 200: { description: "A page of subscriptions", schema: pageOf("SubscriptionPage", subscription) } },
  problems: [],
  isLargeRead: true,
  handle: async ({ query: { after, limit = 50 }, caller: { tenantId }, api }) => {
    const page = { tenantId, ...omitUndefined({ afterId: after }), limit: limit + 1 };
    const found = await viewSubscriptions(api.ledger.store.outbox, page);
    const items = found.slice(0, limit);
    return ok({ items, next: found.length > limit ? items.at(-1)!.subscriptionId : null });
  },
});
