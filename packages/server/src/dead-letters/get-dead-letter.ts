import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { event } from "../runs/event-schema.js";
import { byDeadLetter, deadLetterFields, toDeadLetterBody } from "./dead-letter-schema.js";

const inspected = z
  .object({
    ...deadLetterFields,
    event: event.nullable().meta({ description: "The refused event. `null` if it cannot be read." }),
  })
  .meta({ id: "InspectedDeadLetter", description: "A dead letter with its event." });

export const getDeadLetter = route({
  method: "GET",
  path: "/dead-letters/{subscriptionId}/{runId}",
  operationId: "getDeadLetter",
  tag: "subscriptions",
  summary: "Get a dead letter with its event",
  role: "viewer",
  params: byDeadLetter,
  responses: { 200: { description: "The dead letter", schema: inspected } },
  problems: ["DEAD_LETTER_NOT_FOUND"],
  handle: async ({ params: { subscriptionId, runId }, caller: { tenantId }, api }) =>
    ok(toDeadLetterBody(await api.ledger.subscriptions.deadLetter(subscriptionId, runId, { tenantId }))),
});
