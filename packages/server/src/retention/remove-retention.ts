import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { assertMayChange, retentionTarget } from "./retention-policy.js";

const policyQuery = z.strictObject({ ...retentionTarget, workflowId: retentionTarget.workflowId.default("*") });

const policyRemoved = z
  .object({ removed: z.boolean().meta({ description: "`false` if the policy did not exist." }) })
  .meta({ id: "RetentionPolicyRemoved" });

export const removeRetention = route({
  method: "DELETE",
  path: "/retention",
  operationId: "removeRetention",
  tag: "retention",
  summary: "Remove a retention policy",
  description: "Data that the policy covered is kept from then on, unless a wider policy covers it.",
  role: "admin",
  audited: true,
  query: policyQuery,
  responses: { 200: { description: "The policy does not exist anymore", schema: policyRemoved } },
  problems: ["OPTION_INVALID", "IDENTIFIER_INVALID"],
  handle: async ({ query, caller, api }) => {
    assertMayChange(caller, query);
    return ok({ removed: await api.ledger.retention.remove(query) });
  },
});
