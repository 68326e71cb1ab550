import type { IncomingHttpHeaders } from "node:http";
import { ALL_TENANTS, InputError } from "@runledger/contracts";
import { z } from "zod";
import { createApiKey } from "../access/api-keys.js";
import type { Caller } from "../access/caller.js";
import { ok, route } from "../http/define-route.js";
import { accessKey, auditPage, auditQuery, createdKey, keyPage, keyQuery, keyRequest } from "../schemas/access.js";
import { identifier } from "../schemas/values.js";

const DAY_MS = 24 * 60 * 60 * 1000;

export const listKeys = route({
  method: "GET",
  path: "/keys",
  operationId: "listKeys",
  tag: "access",
  summary: "The tenant's API keys",
  role: "admin",
  query: keyQuery,
  answers: { 200: { description: "A page of keys", schema: keyPage } },
  problems: [],
  handle: async ({ query: { after, limit = 100 }, headers, caller, api }) => {
    const place = after === undefined ? {} : { afterId: after };
    const tenantId = scopeOf(caller, headers);
    const keys = await api.ledger.store.access.listKeys({ tenantId, ...place, limit: limit + 1 });
    const items = keys.slice(0, limit);
    return ok({ items, next: keys.length > limit ? items.at(-1)!.keyId : null });
  },
});

export const createKey = route({
  method: "POST",
  path: "/keys",
  operationId: "createKey",
  tag: "access",
  summary: "Make an API key",
  description: "It is good for the caller's tenant. Its secret is in the answer, and nowhere else.",
  role: "admin",
  audited: true,
  body: keyRequest,
  answers: { 201: { description: "The key, and its secret", schema: createdKey } },
  problems: [],
  handle: async ({ body: { name, role, expiresInDays }, caller, api }) => {
    const ttlMs = expiresInDays === undefined ? null : expiresInDays * DAY_MS;
    const wanted = { tenantId: caller.tenantId, role, name, ttlMs, createdBy: caller.name };
    const { key, text } = await createApiKey(api.ledger.store.access, wanted);
    return { status: 201, body: { key, secret: text }, headers: { "cache-control": "no-store" } };
  },
});

export const revokeKey = route({
  method: "DELETE",
  path: "/keys/{keyId}",
  operationId: "revokeKey",
  tag: "access",
  summary: "Revoke an API key for good",
  description: "Other servers on the same store take it for up to two seconds more.",
  role: "admin",
  audited: true,
  params: z.object({ keyId: identifier }),
  answers: { 200: { description: "The key as it is now", schema: accessKey } },
  problems: ["KEY_NOT_FOUND"],
  handle: async ({ params: { keyId }, headers, caller, api }) => {
    const revoked = await api.ledger.store.access.revokeKey({ tenantId: scopeOf(caller, headers), keyId });
    if (revoked === null)
      throw new InputError("KEY_NOT_FOUND", "keyId", `there is no key ${keyId}; list them at /keys.`);
    api.identify.keys.forget(keyId);
    return ok(revoked);
  },
});

export const listAudit = route({
  method: "GET",
  path: "/audit",
  operationId: "listAudit",
  tag: "access",
  summary: "What was denied, and what was administered; newest first",
  description:
    "Whoever may act for any tenant and names none sees the entries of all, and of callers nobody recognised.",
  role: "admin",
  query: auditQuery,
  answers: { 200: { description: "A page of entries", schema: auditPage } },
  problems: [],
  handle: async ({ query: { after, limit = 100 }, headers, caller, api }) => {
    await api.audit.flush();
    const place = after === undefined ? {} : { beforeId: after };
    const tenantId = scopeOf(caller, headers);
    const entries = await api.ledger.store.audit.listAudit({ tenantId, ...place, limit: limit + 1 });
    const items = entries.slice(0, limit);
    return ok({ items, next: entries.length > limit ? String(items.at(-1)!.auditId) : null });
  },
});

/** Whoever may act for any tenant, and has named none, means all of them. */
function scopeOf({ tenantId, allTenants }: Caller, headers: IncomingHttpHeaders): string {
  return allTenants && headers["runledger-tenant"] === undefined ? ALL_TENANTS : tenantId;
}
