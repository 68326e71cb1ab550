import type { StoredAuditEntry } from "@runledger/contracts";
import type { Row } from "./client.js";

export function toAuditEntry(row: Row): StoredAuditEntry {
  const [auditId, at, tenantId, actor, action, target, outcome, code, requestId, address, ...chained] = row;
  const [actorKind, actorId, keyId, count, chainSeq, hash] = chained;
  return {
    auditId: auditId as number,
    at: at as string,
    tenantId: tenantId as string | null,
    actor: actor as string,
    actorKind: actorKind as StoredAuditEntry["actorKind"],
    actorId: actorId as string | null,
    keyId: keyId as string | null,
    action: action as string,
    target: target as string,
    outcome: outcome as StoredAuditEntry["outcome"],
    code: code as string | null,
    requestId: requestId as string,
    address: address as string,
    count: count as number,
    chainSeq: chainSeq as number | null,
    hash: hash as string | null,
  };
}
