import { z } from "zod";
import { omitUndefined, type SourceSettings } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { byTrigger, readTriggerOf, trigger, triggerFields } from "./trigger-schema.js";

const triggerRequest = z
  .strictObject({
    ...triggerFields,
    projectId: identifier.optional().meta({ description: "Defaults to `default`." }),
    environmentId: identifier.optional().meta({ description: "Defaults to `default`." }),
    priority: z.int().min(-1000).max(1000).optional().meta({ description: "Priority of the runs. Defaults to 0." }),
    maxAttempts: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Failed attempts after which an event of a broker is rejected. Defaults to 5." }),
    from: z.string().max(50).optional().meta({
      description:
        "The first events of a broker that start runs of a new trigger: `beginning`, `now` or an ISO 8601 time. Defaults to `now`.",
    }),
  })
  .meta({ id: "TriggerRequest", description: "A trigger. Secrets are named, never included." });

export const putTrigger = route({
  method: "PUT",
  path: "/triggers/{triggerId}",
  operationId: "putTrigger",
  tag: "triggers",
  summary: "Create or replace a trigger",
  description: "Starts runs of the caller's tenant. A replaced trigger continues where it was, and ignores `from`.",
  role: "engineer",
  audited: true,
  params: byTrigger,
  body: triggerRequest,
  responses: { 200: { description: "The trigger", schema: trigger } },
  problems: ["TRIGGER_INVALID", "IDENTIFIER_INVALID", "PAYLOAD_TOO_LARGE", "PAYLOAD_NOT_JSON"],
  handle: async ({ params: { triggerId: id }, body, caller: { tenantId }, api }) => {
    const { source, workflow, ...options } = body;
    const required = { id, tenantId, source: source as SourceSettings, workflow };
    await api.ledger.triggers.put({ ...required, ...omitUndefined(options) });
    return ok(await readTriggerOf(api, tenantId, id));
  },
});
