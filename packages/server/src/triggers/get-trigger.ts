import { ok, route } from "../http/define-route.js";
import { byTrigger, readTriggerOf, trigger } from "./trigger-schema.js";

export const getTrigger = route({
  method: "GET",
  path: "/triggers/{triggerId}",
  operationId: "getTrigger",
  tag: "triggers",
  summary: "Get a trigger",
  description: "Returns the trigger with its counters, last error and last rejected events.",
  role: "viewer",
  params: byTrigger,
  responses: { 200: { description: "The trigger", schema: trigger } },
  problems: ["TRIGGER_NOT_FOUND"],
  handle: async ({ params: { triggerId }, caller: { tenantId }, api }) =>
    ok(await readTriggerOf(api, tenantId, triggerId)),
});
