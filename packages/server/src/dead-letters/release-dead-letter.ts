import { route } from "../http/define-route.js";
import { byDeadLetter } from "./dead-letter-schema.js";

export const redriveDeadLetter = route({
  method: "POST",
  path: "/dead-letters/{subscriptionId}/{runId}/redrive",
  operationId: "redriveDeadLetter",
  tag: "subscriptions",
  summary: "Redrive a dead letter",
  description: "Attempts the event again, now. The later events of the run follow it.",
  role: "operator",
  audited: true,
  params: byDeadLetter,
  responses: { 204: { description: "The event is attempted again" } },
  problems: ["DEAD_LETTER_NOT_FOUND"],
  handle: async ({ params: { subscriptionId, runId }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.redrive(subscriptionId, runId, { tenantId });
    return { status: 204 };
  },
});

export const dropDeadLetter = route({
  method: "DELETE",
  path: "/dead-letters/{subscriptionId}/{runId}",
  operationId: "dropDeadLetter",
  tag: "subscriptions",
  summary: "Drop a dead letter",
  description: "Skips the event for this subscription. The later events of the run are delivered; the log keeps all.",
  role: "operator",
  audited: true,
  params: byDeadLetter,
  responses: { 204: { description: "The event is skipped" } },
  problems: ["DEAD_LETTER_NOT_FOUND"],
  handle: async ({ params: { subscriptionId, runId }, caller: { tenantId }, api }) => {
    await api.ledger.subscriptions.drop(subscriptionId, runId, { tenantId });
    return { status: 204 };
  },
});
