import { accessRoles } from "@runledger/contracts";
import { z } from "zod";
import { identifier, instant, pageOf, wholeNumber } from "./values.js";

export const me = z
  .object({
    name: z.string(),
    tenantId: z.string().meta({ description: "The tenant that calls are about" }),
    role: z.enum(accessRoles),
    allTenants: z.boolean().meta({ description: "True = the header Runledger-Tenant chooses another tenant" }),
  })
  .meta({ id: "Me" });

export const sessionRequest = z
  .strictObject({
    token: z.string().min(1).max(8192).meta({ description: "An API key, a JWT, or the data directory's token" }),
  })
  .meta({ id: "SessionRequest" });

export const accessKey = z
  .object({
    keyId: z.string(),
    tenantId: z.string().meta({ description: "`*` = any tenant" }),
    role: z.enum(accessRoles),
    name: z.string(),
    createdAt: instant,
    createdBy: z.string(),
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    lastUsedAt: instant.nullable().meta({ description: "To the minute" }),
  })
  .meta({ id: "AccessKey", description: "An API key without its secret" });

export const keyPage = pageOf("AccessKeyPage", accessKey);

export const keyRequest = z
  .strictObject({
    name: identifier,
    role: z.enum(accessRoles),
    expiresInDays: z.int().min(1).max(3650).optional().meta({ description: "Default: it does not expire" }),
  })
  .meta({ id: "AccessKeyRequest" });

export const createdKey = z
  .object({ key: accessKey, secret: z.string().meta({ description: "Shown once; it cannot be found out again" }) })
  .meta({ id: "CreatedAccessKey" });

const auditEntry = z
  .object({
    auditId: z.int(),
    at: instant,
    tenantId: z.string().nullable(),
    actor: z.string(),
    action: z.string(),
    target: z.string(),
    outcome: z.enum(["allowed", "denied"]),
    code: z.string().nullable(),
    requestId: z.string(),
    address: z.string(),
  })
  .meta({ id: "AuditEntry" });

export const auditPage = pageOf("AuditPage", auditEntry);

export const keyQuery = z.strictObject({
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 200).optional().meta({ description: "Default 100" }),
});

export const auditQuery = z.strictObject({
  after: wholeNumber(1).optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 200).optional().meta({ description: "Default 100" }),
});
