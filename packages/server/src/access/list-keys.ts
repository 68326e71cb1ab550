import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { accessRoles, ALL_TENANTS, omitUndefined } from "@runledger/contracts";
import type { Caller } from "../auth/caller.js";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, instant, limitParam, pageOf } from "../http/schemas.js";

export const accessKey = z
  .object({
    keyId: z.string(),
    tenantId: z.string().meta({ description: "Tenant that the key is valid for; `*` for all tenants." }),
    role: z.enum(accessRoles),
    name: z.string(),
    createdAt: instant,
    createdBy: z.string().meta({ description: "Name of the caller that created the key." }),
    expiresAt: instant.nullable().meta({ description: "`null` if the key does not expire." }),
    revokedAt: instant.nullable().meta({ description: "`null` if the key was not revoked." }),
    lastUsedAt: instant
      .nullable()
      .meta({ description: "Time of the last use, to the minute. `null` if the key was never used." }),
  })
  .meta({ id: "AccessKey", description: "An API key without its secret." });

const keyPage = pageOf("AccessKeyPage", accessKey);

const keyQuery = z.strictObject({
  after: identifier.optional().meta(afterParam),
  limit: limitParam(200, 100),
});

export const listKeys = route({
  method: "GET",
  path: "/keys",
  operationId: "listKeys",
  tag: "access",
  summary: "List API keys",
  description:
    "Returns the keys of the tenant, by id. A caller for all tenants that selects none with `Runledger-Tenant` sees all keys.",
  role: "admin",
  query: keyQuery,
  responses: { 200: { description: "A page of keys", schema: keyPage } },
  problems: [],
  handle: async ({ query: { after, limit = 100 }, headers, caller, api }) => {
    const cursor = omitUndefined({ afterId: after });
    const tenantId = scopeOf(caller, headers);
    const keys = await api.ledger.store.access.listKeys({ tenantId, ...cursor, limit: limit + 1 });
    const items = keys.slice(0, limit);
    return ok({ items, next: keys.length > limit ? items.at(-1)!.keyId : null });
  },
});

/** A caller for all tenants that selects none sees the data of all. */
export function scopeOf({ tenantId, allTenants }: Caller, headers: IncomingHttpHeaders): string {
  return allTenants && headers["runledger-tenant"] === undefined ? ALL_TENANTS : tenantId;
}
