import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { viewTrigger } from "@runledger/runtime/triggers/trigger-view";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, limitParam, pageOf } from "../http/schemas.js";
import { trigger } from "./trigger-schema.js";

export const listTriggers = route({
  method: "GET",
  path: "/triggers",
  operationId: "listTriggers",
  tag: "triggers",
  summary: "List triggers",
  description: "Returns the tenant's triggers by id, with their counters and last error.",
  role: "viewer",
  query: z.strictObject({ after: identifier.optional().meta(afterParam), limit: limitParam(100, 50) }),
  responses: { 200: { description: "A page of triggers", schema: pageOf("TriggerPage", trigger) } },
  problems: [],
  isLargeRead: true,
  handle: async ({ query: { after, limit = 50 }, caller: { tenantId }, api }) => {
    const page = { tenantId, ...omitUndefined({ afterId: after }), limit: limit + 1 };
    const found = (await api.ledger.triggers.list(page)).map(viewTrigger);
    const items = found.slice(0, limit);
    return ok({ items, next: found.length > limit ? items.at(-1)!.triggerId : null });
  },
});
