import type { Audit, AuditEntry, StoredAuditEntry } from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";

const COLUMNS = "tenant_id, actor, action, target, outcome, code, request_id, address";

/** The entries as one JSON document: their number is not fixed, and some fields may be null. */
const record: Statement = {
  name: "audit_record",
  text: `
INSERT INTO runledger.audit_log (${COLUMNS})
SELECT e ->> 'tenantId', e ->> 'actor', e ->> 'action', e ->> 'target', e ->> 'outcome', e ->> 'code', e ->> 'requestId',
  e ->> 'address'
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS each (e, place) ORDER BY place`,
};
const list: Statement = {
  name: "audit_list",
  text: `
SELECT audit_id, at, ${COLUMNS} FROM runledger.audit_log
WHERE ($1 = '*' OR tenant_id = $1) AND audit_id < $2 ORDER BY audit_id DESC LIMIT $3`,
};

export function audit(db: Database): Audit {
  return {
    recordAudit: async (entries) => void (await db.write(record, [JSON.stringify(entries)])),
    listAudit: async ({ tenantId, beforeId = Number.MAX_SAFE_INTEGER, limit = 100 }) =>
      (await db.read(list, [tenantId, beforeId, limit])).map(toEntry),
  };
}

function toEntry([
  auditId,
  at,
  tenantId,
  actor,
  action,
  target,
  outcome,
  code,
  requestId,
  address,
]: Row): StoredAuditEntry {
  return {
    auditId: auditId as number,
    at: at as string,
    tenantId: tenantId as string | null,
    actor: actor as string,
    action: action as string,
    target: target as string,
    outcome: outcome as AuditEntry["outcome"],
    code: code as string | null,
    requestId: requestId as string,
    address: address as string,
  };
}
