import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { assertMayChange, limitTarget } from "./limit.js";

const limitQuery = z.strictObject({ ...limitTarget, subject: limitTarget.subject.optional() });

const limitRemoved = z
  .object({ removed: z.boolean().meta({ description: "`false` if the limit did not exist." }) })
  .meta({ id: "LimitRemoved" });

export const removeLimit = route({
  method: "DELETE",
  path: "/limits",
  operationId: "removeLimit",
  tag: "queue",
  summary: "Remove a limit",
  description: "Takes effect immediately, also for queued runs.",
  role: "admin",
  audited: true,
  query: limitQuery,
  responses: { 200: { description: "The limit does not exist anymore", schema: limitRemoved } },
  problems: ["OPTION_INVALID"],
  handle: async ({ query: { scope, subject = "" }, caller, api }) => {
    assertMayChange(caller, { scope, subject });
    return ok({ removed: await api.ledger.limits.remove({ scope, subject }) });
  },
});
