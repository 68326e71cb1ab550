import { ALL_TENANTS, type Audit } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export function audit(tables: Tables): Audit {
  const { audit: entries } = tables;
  return {
    recordAudit: async (added) => {
      const at = new Date(tables.now()).toISOString();
      for (const entry of added) entries.push({ ...entry, at, auditId: entries.length + 1 });
    },
    listAudit: async ({ tenantId, beforeId = Infinity, limit = 100 }) =>
      entries
        .filter((entry) => (tenantId === ALL_TENANTS || entry.tenantId === tenantId) && entry.auditId < beforeId)
        .toReversed()
        .slice(0, limit),
  };
}
