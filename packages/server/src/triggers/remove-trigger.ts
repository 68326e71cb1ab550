import { route } from "../http/define-route.js";
import { byTrigger } from "./trigger-schema.js";

export const removeTrigger = route({
  method: "DELETE",
  path: "/triggers/{triggerId}",
  operationId: "removeTrigger",
  tag: "triggers",
  summary: "Delete a trigger",
  description:
    "Its runs stay. An event that has started a run starts no other one, even if the trigger is created again.",
  role: "engineer",
  audited: true,
  params: byTrigger,
  responses: { 204: { description: "The trigger is deleted" } },
  problems: ["TRIGGER_NOT_FOUND"],
  handle: async ({ params: { triggerId }, caller: { tenantId }, api }) => {
    await api.ledger.triggers.remove(triggerId, { tenantId });
    return { status: 204 };
  },
});
