import { z } from "zod";
import { accessRoles } from "@runledger/contracts";
import { createApiKey } from "../auth/api-keys.js";
import { route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { accessKey } from "./list-keys.js";

const keyRequest = z
  .strictObject({
    name: identifier.meta({ description: "Name of the key. It appears in the audit log and as the starter of runs." }),
    role: z.enum(accessRoles).meta({ description: "Role of calls that use the key." }),
    expiresInDays: z
      .int()
      .min(1)
      .max(3650)
      .optional()
      .meta({ description: "Days until the key expires. Defaults to never." }),
  })
  .meta({ id: "AccessKeyRequest" });

const createdKey = z
  .object({
    key: accessKey,
    secret: z.string().meta({ description: "The full key. It is returned only here and cannot be retrieved later." }),
  })
  .meta({ id: "CreatedAccessKey" });

const DAY_MS = 24 * 60 * 60 * 1000;

export const createKey = route({
  method: "POST",
  path: "/keys",
  operationId: "createKey",
  tag: "access",
  summary: "Create an API key",
  description: "The key is valid for the caller's tenant. The response is the only place where its secret appears.",
  role: "admin",
  audited: true,
  body: keyRequest,
  responses: { 201: { description: "The key and its secret", schema: createdKey } },
  problems: [],
  handle: async ({ body: { name, role, expiresInDays }, caller, api }) => {
    const ttlMs = expiresInDays === undefined ? null : expiresInDays * DAY_MS;
    const params = { tenantId: caller.tenantId, role, name, ttlMs, createdBy: caller.name };
    const { key, text } = await createApiKey(api.ledger.store.access, params);
    return { status: 201, body: { key, secret: text }, headers: { "cache-control": "no-store" } };
  },
});
