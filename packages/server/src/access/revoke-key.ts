import { z } from "zod";
import { InputError } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { accessKey, scopeOf } from "./list-keys.js";

export const revokeKey = route({
  method: "DELETE",
  path: "/keys/{keyId}",
  operationId: "revokeKey",
  tag: "access",
  summary: "Revoke an API key",
  description: "Revocation is permanent. Other servers of the same store accept the key for up to two more seconds.",
  role: "admin",
  audited: true,
  params: z.object({ keyId: identifier }),
  responses: { 200: { description: "The revoked key", schema: accessKey } },
  problems: ["KEY_NOT_FOUND"],
  handle: async ({ params: { keyId }, headers, caller, api }) => {
    const revoked = await api.ledger.store.access.revokeKey({ tenantId: scopeOf(caller, headers), keyId });
    if (revoked === null)
      throw new InputError("KEY_NOT_FOUND", "keyId", `${keyId} does not exist. List the keys with GET /keys.`);
    api.authenticator.keys.evict(keyId);
    api.openStreams.closeOf(keyId);
    return ok(revoked);
  },
});
