import { z } from "zod";
import type { Json } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { byTrigger } from "./trigger-schema.js";

const testRequest = z
  .strictObject({ event: z.unknown().meta({ description: "A CloudEvent, or any JSON as its data." }) })
  .meta({ id: "TriggerTestRequest", description: "An event to try." });

const testResult = z
  .object({
    outcome: z.enum(["start", "skipped", "rejected"]),
    key: z.string().optional().meta({ description: "The key that has one run. Only with `start`." }),
    input: z.unknown().optional().meta({ description: "The input of the run. Only with `start`." }),
    labels: z.record(z.string(), z.string()).optional().meta({ description: "Only with `start`." }),
    error: z.string().optional().meta({ description: "Only with `rejected`." }),
  })
  .meta({ id: "TriggerTest", description: "The outcome that an event would have." });

export const testTrigger = route({
  method: "POST",
  path: "/triggers/{triggerId}/test",
  operationId: "testTrigger",
  tag: "triggers",
  summary: "Test a trigger with an event",
  description: "Evaluates the expressions and checks the input. Starts nothing.",
  role: "operator",
  audited: true,
  params: byTrigger,
  body: testRequest,
  maxBodyBytes: 512 * 1024,
  responses: { 200: { description: "The outcome", schema: testResult } },
  problems: ["TRIGGER_NOT_FOUND"],
  handle: async ({ params: { triggerId }, body: { event = null }, caller: { tenantId }, api }) =>
    ok(await api.ledger.triggers.test(triggerId, event as Json, { tenantId })),
});
