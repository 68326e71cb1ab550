import { z } from "zod";
import { DEFAULT_TENANT } from "@runledger/contracts";
import { ANONYMOUS } from "../auth/caller.js";
import { route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { byTrigger } from "./trigger-schema.js";

const eventOutcome = z
  .object({
    outcome: z.enum(["started", "repeated", "skipped"]).meta({
      description: "`repeated` if the event started its run before, `skipped` if the filter excludes it.",
    }),
    runId: z.string().optional().meta({ description: "Absent if the event was skipped." }),
  })
  .meta({ id: "EventOutcome", description: "The outcome of an event." });

/** The signature takes the place of a credential. It covers the bytes of the body, so the body is not parsed before. */
export const sendEvent = route({
  method: "POST",
  path: "/triggers/{triggerId}/events",
  operationId: "sendEvent",
  tag: "triggers",
  summary: "Send an event to a trigger",
  description:
    "Starts a run, once per event id. The request is signed as Standard Webhooks describes it (`webhook-id`, " +
    "`webhook-timestamp`, `webhook-signature`) and needs no other credential. The body is a CloudEvent in structured or " +
    "binary mode, or JSON that becomes the data of an event with the id `webhook-id`.",
  role: null,
  params: byTrigger,
  query: z.strictObject({
    tenant: identifier.optional().meta({ description: "The tenant of the trigger. Defaults to `default`." }),
  }),
  body: z.unknown().meta({ description: "A CloudEvent, or any JSON." }),
  hasRawBody: true,
  maxBodyBytes: 512 * 1024,
  responses: {
    202: { description: "The run is queued", schema: eventOutcome },
    200: { description: "The event started its run before, or it was skipped", schema: eventOutcome },
  },
  problems: [
    "UNAUTHENTICATED",
    "TRIGGER_PAUSED",
    "TRIGGER_EVENT_INVALID",
    "IDENTIFIER_INVALID",
    "WORKFLOW_NOT_FOUND",
    "SCHEMA_MISMATCH",
    "PAYLOAD_TOO_LARGE",
    "QUEUE_FULL",
    "RATE_LIMITED",
  ],
  handle: async ({ params: { triggerId }, query: { tenant: tenantId = DEFAULT_TENANT }, headers, rawBody, api }) => {
    const sender = {
      ...ANONYMOUS,
      tenantId,
      name: `trigger ${triggerId}`,
      credential: `trigger:${tenantId}:${triggerId}`,
    };
    const onVerified = (): void => {
      const quota = api.quotas.ofCaller(sender);
      quota.countRequest();
      quota.countStarts(1);
    };
    const body = await api.ledger.triggers.receive(triggerId, { headers, body: rawBody }, { tenantId, onVerified });
    return { status: body.outcome === "started" ? 202 : 200, body };
  },
});
