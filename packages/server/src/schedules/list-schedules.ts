import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, limitParam, pageOf } from "../http/schemas.js";
import { schedule, toScheduleBody } from "./schedule-schema.js";

const schedulePage = pageOf("SchedulePage", schedule);

const scheduleQuery = z.strictObject({
  workflow: identifier
    .optional()
    .meta({ description: "Only schedules of this workflow. Pages may then be shorter than `limit`." }),
  after: identifier.optional().meta(afterParam),
  limit: limitParam(200, 100),
});

export const listSchedules = route({
  method: "GET",
  path: "/schedules",
  operationId: "listSchedules",
  tag: "schedules",
  summary: "List schedules",
  description: "Returns the tenant's schedules by id.",
  role: "viewer",
  query: scheduleQuery,
  responses: { 200: { description: "A page of schedules", schema: schedulePage } },
  problems: [],
  handle: async ({ query: { workflow, after, limit = 100 }, caller: { tenantId }, api }) => {
    const cursor = omitUndefined({ afterId: after });
    const found = await api.ledger.schedules.list({ tenantId, ...cursor, limit: limit + 1 });
    const page = found.slice(0, limit);
    const items = page.filter(({ definition: { plan } }) => (workflow ?? plan.planId) === plan.planId);
    return ok({ items: items.map(toScheduleBody), next: found.length > limit ? page.at(-1)!.scheduleId : null });
  },
});
