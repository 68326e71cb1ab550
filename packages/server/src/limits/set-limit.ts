import { z } from "zod";
import { omitUndefined, type Limit } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { limitFields, assertMayChange, limit, limitTarget } from "./limit.js";

const limitRequest = z
  .strictObject({
    ...limitTarget,
    maxRunning: limitFields.maxRunning.optional(),
    rate: limitFields.rate.optional(),
    maxQueued: limitFields.maxQueued.optional(),
    priority: limitFields.priority.optional(),
  })
  .meta({ id: "LimitRequest", description: "A complete limit. Omitted fields are unlimited." });

export const setLimit = route({
  method: "PUT",
  path: "/limits",
  operationId: "setLimit",
  tag: "queue",
  summary: "Create or replace a limit",
  description:
    "Takes effect immediately, also for queued runs. An admin of a tenant can set limits for its projects and concurrency " +
    "keys. All other limits require a key for all tenants.",
  role: "admin",
  audited: true,
  body: limitRequest,
  responses: { 200: { description: "The limit", schema: limit } },
  problems: ["OPTION_INVALID"],
  handle: async ({ body, caller, api }) => {
    assertMayChange(caller, body);
    const unlimited = { maxRunning: null, rate: null, maxQueued: null, priority: null };
    const complete: Limit = { ...unlimited, ...omitUndefined(body), scope: body.scope, subject: body.subject };
    await api.ledger.limits.set(complete);
    return ok(complete);
  },
});
