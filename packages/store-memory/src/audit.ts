import { ALL_TENANTS, chainAudit, prunedEntry, type Audit, type AuditEntry } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export function audit(tables: Tables): Audit {
  const log = tables.audit;
  const isOf = (tenantId: string) => (entry: AuditEntry) => tenantId === ALL_TENANTS || entry.tenantId === tenantId;
  const add = (added: readonly AuditEntry[]): void => {
    const at = new Date(tables.now()).toISOString();
    const chained = chainAudit(log.head, at, added);
    for (const entry of chained) log.entries.push({ ...entry, auditId: entry.chainSeq });
    const last = chained.at(-1);
    if (last !== undefined) log.head = { seq: last.chainSeq, hash: last.hash };
  };
  return {
    recordAudit: async (added) => add(added),
    listAudit: async ({ tenantId, beforeId = Infinity, limit = 100 }) =>
      log.entries
        .filter(isOf(tenantId))
        .filter(({ auditId }) => auditId < beforeId)
        .toReversed()
        .slice(0, limit),
    readAudit: async ({ tenantId, afterId = 0, limit = 1000 }) =>
      log.entries
        .filter(isOf(tenantId))
        .filter(({ auditId }) => auditId > afterId)
        .slice(0, limit),
    auditChain: async () => ({ base: log.base, head: log.head }),
    pruneAudit: async ({ olderThanMs }) => {
      const before = new Date(tables.now() - olderThanMs).toISOString();
      const kept = log.entries.findIndex(({ at }) => at >= before);
      const removed = log.entries.splice(0, kept < 0 ? log.entries.length : kept);
      const last = removed.at(-1);
      if (last === undefined) return 0;
      log.base = { seq: last.chainSeq!, hash: last.hash! };
      add([prunedEntry(log.base, removed.length)]);
      return removed.length;
    },
  };
}
