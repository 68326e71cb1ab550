import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { isVisible, retentionPolicy } from "./retention-policy.js";

const policyList = z.object({ items: z.array(retentionPolicy) }).meta({ id: "RetentionPolicyList" });

export const listRetention = route({
  method: "GET",
  path: "/retention",
  operationId: "listRetention",
  tag: "retention",
  summary: "List retention policies",
  description: "Returns the policies that apply to the caller's data. A caller for all tenants sees all policies.",
  role: "viewer",
  responses: { 200: { description: "The policies, ordered by kind, tenant and workflow", schema: policyList } },
  problems: [],
  handle: async ({ caller, api }) => {
    const policies = await api.ledger.retention.list();
    return ok({ items: policies.filter((policy) => isVisible(caller, policy)) });
  },
});
