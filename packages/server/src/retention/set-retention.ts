import { z } from "zod";
import { requirePort } from "@runledger/runtime/ledger/missing-ports";
import { ok, route } from "../http/define-route.js";
import { assertMayChange, retentionFields, retentionPolicy, retentionTarget } from "./retention-policy.js";

const policyRequest = z
  .strictObject({
    ...retentionTarget,
    workflowId: retentionTarget.workflowId.default("*"),
    archiveAfterMs: retentionFields.archiveAfterMs.default(null),
    deleteAfterMs: retentionFields.deleteAfterMs.default(null),
  })
  .meta({ id: "RetentionPolicyRequest", description: "A complete policy. Data is kept where a field is omitted." });

export const setRetention = route({
  method: "PUT",
  path: "/retention",
  operationId: "setRetention",
  tag: "retention",
  summary: "Create or replace a retention policy",
  description:
    "Takes effect with the next pass of a server with the role `retention`. An admin of a tenant can set policies of that " +
    "tenant. All other policies require a key for all tenants.",
  role: "admin",
  audited: true,
  body: policyRequest,
  responses: { 200: { description: "The policy", schema: retentionPolicy } },
  problems: ["OPTION_INVALID", "IDENTIFIER_INVALID", "STORE_UNSUITABLE"],
  handle: async ({ body, caller, api }) => {
    assertMayChange(caller, body);
    if (body.kind === "artifacts") requirePort(api.ledger.store, "expiry");
    await api.ledger.store.retention.setPolicy(body);
    return ok(body);
  },
});
