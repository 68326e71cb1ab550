import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, instant, integerParam, limitParam, pageOf } from "../http/schemas.js";
import { scopeOf } from "./list-keys.js";

const auditEntry = z
  .object({
    auditId: z.int(),
    at: instant,
    tenantId: z.string().nullable().meta({ description: "`null` if the caller was not authenticated." }),
    actor: z.string().meta({ description: "Name of the caller." }),
    actorKind: z.enum(["key", "user", "local", "command-line", "system", "unknown"]).meta({
      description:
        "`user` for a JWT, `local` for the token of the data directory, `unknown` if it was not authenticated.",
    }),
    actorId: z.string().nullable().meta({ description: "Identifies the caller, also if others have the same name." }),
    keyId: z.string().nullable().meta({ description: "API key of the call or of its session." }),
    action: z.string().meta({ description: "Operation id of the call." }),
    target: z.string().meta({ description: "Method and path of the call." }),
    outcome: z.enum(["allowed", "denied", "failed"]).meta({
      description: "`allowed` is written before the operation runs. An entry with `failed` follows if it fails.",
    }),
    code: z.string().nullable().meta({ description: "Error code of a denied or failed call, else `null`." }),
    requestId: z.string(),
    address: z.string().meta({ description: "IP address of the caller." }),
    count: z
      .int()
      .meta({ description: "Calls that the entry stands for. Repeated denials of a minute share an entry." }),
    chainSeq: z
      .int()
      .nullable()
      .meta({ description: "Position in the hash chain. `null` if an earlier version wrote the entry." }),
    hash: z.string().nullable().meta({ description: "Hash of the entry and of the previous hash." }),
  })
  .meta({ id: "AuditEntry", description: "A denied or administrative call, a login or a logout." });

const auditPage = pageOf("AuditPage", auditEntry);

const auditQuery = z.strictObject({
  after: integerParam(1).optional().meta(afterParam),
  limit: limitParam(200, 100),
});

export const listAudit = route({
  method: "GET",
  path: "/audit",
  operationId: "listAudit",
  tag: "access",
  summary: "List audit entries",
  description:
    "Returns denied calls, administrative calls, logins and logouts, newest first. A caller for all tenants that selects none with " +
    "`Runledger-Tenant` also sees entries of all tenants and of unauthenticated callers.",
  role: "admin",
  query: auditQuery,
  responses: { 200: { description: "A page of audit entries", schema: auditPage } },
  problems: [],
  handle: async ({ query: { after, limit = 100 }, headers, caller, api }) => {
    await api.audit.flush();
    const cursor = omitUndefined({ beforeId: after });
    const tenantId = scopeOf(caller, headers);
    const entries = await api.ledger.store.audit.listAudit({ tenantId, ...cursor, limit: limit + 1 });
    const items = entries.slice(0, limit);
    return ok({ items, next: entries.length > limit ? String(items.at(-1)!.auditId) : null });
  },
});
