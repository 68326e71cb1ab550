import { ok, route } from "../http/define-route.js";
import { byTrigger, readTriggerOf, trigger } from "./trigger-schema.js";

export const pauseTrigger = route({
  method: "POST",
  path: "/triggers/{triggerId}/pause",
  operationId: "pauseTrigger",
  tag: "triggers",
  summary: "Pause a trigger",
  description: "Events stay with the broker. Senders of webhooks get 503 and send their events again later.",
  role: "operator",
  audited: true,
  params: byTrigger,
  responses: { 200: { description: "The trigger", schema: trigger } },
  problems: ["TRIGGER_NOT_FOUND"],
  handle: async ({ params: { triggerId }, caller: { tenantId }, api }) => {
    await api.ledger.triggers.pause(triggerId, { tenantId });
    return ok(await readTriggerOf(api, tenantId, triggerId));
  },
});

export const resumeTrigger = route({
  method: "POST",
  path: "/triggers/{triggerId}/resume",
  operationId: "resumeTrigger",
  tag: "triggers",
  summary: "Resume a trigger",
  description: "Events that waited start their runs.",
  role: "operator",
  audited: true,
  params: byTrigger,
  responses: { 200: { description: "The trigger", schema: trigger } },
  problems: ["TRIGGER_NOT_FOUND"],
  handle: async ({ params: { triggerId }, caller: { tenantId }, api }) => {
    await api.ledger.triggers.resume(triggerId, { tenantId });
    return ok(await readTriggerOf(api, tenantId, triggerId));
  },
});
