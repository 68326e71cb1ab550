import { z } from "zod";
import { accessRoles, omitUndefined } from "@runledger/contracts";
import type { Caller } from "../auth/caller.js";
import { ok, route } from "../http/define-route.js";

export const me = z
  .object({
    name: z.string().meta({ description: "Name of the key or user." }),
    tenantId: z.string().meta({ description: "Tenant that calls act for." }),
    role: z.enum(accessRoles).meta({ description: "Role of the caller." }),
    allTenants: z
      .boolean()
      .meta({ description: "`true` if the caller can select a tenant with the header `Runledger-Tenant`." }),
    engineUiUrl: z
      .string()
      .optional()
      .meta({ description: "Address of the UI of the platform that executes runs. Absent if there is none." }),
  })
  .meta({ id: "Me", description: "The caller." });

export const getMe = route({
  method: "GET",
  path: "/me",
  operationId: "getMe",
  tag: "access",
  summary: "Get the caller",
  description: "Returns the identity, tenant and role of the credential that the request uses.",
  role: "viewer",
  responses: { 200: { description: "The caller", schema: me } },
  problems: [],
  handle: async ({ caller, api: { engineUiUrl } }) => ok({ ...toMe(caller), ...omitUndefined({ engineUiUrl }) }),
});

export function toMe({ name, tenantId, role, allTenants }: Caller) {
  return { name, tenantId, role, allTenants };
}
