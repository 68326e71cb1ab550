import {
  AUDIT_START,
  chainAudit,
  prunedEntry,
  type Audit,
  type AuditEntry,
  type AuditLink,
} from "@runledger/contracts";
import { toAuditEntry } from "./audit-rows.js";
import { firstOf, type Database, type Row, type Session, type Statement } from "./client.js";

const COLUMNS =
  "tenant_id, actor, action, target, outcome, code, request_id, address, actor_kind, actor_id, key_id, call_count, " +
  "chain_seq, hash";

/** Locks the chain, and creates it for the first entry. Writers of all servers wait for each other here. */
const lock: Statement = {
  name: "audit_lock",
  text: `
INSERT INTO runledger.audit_chain DEFAULT VALUES ON CONFLICT (only_row) DO UPDATE SET only_row = true
RETURNING head_seq, head_hash, clock_timestamp()::timestamptz(3)`,
};
/** Takes the entries as one JSON document: their number varies, and some fields are `null`. */
const record: Statement = {
  name: "audit_record",
  text: `
WITH advanced AS (UPDATE runledger.audit_chain SET head_seq = $2, head_hash = $3)
INSERT INTO runledger.audit_log (at, ${COLUMNS})
SELECT (e ->> 'at')::timestamptz, e ->> 'tenantId', e ->> 'actor', e ->> 'action', e ->> 'target', e ->> 'outcome',
  e ->> 'code', e ->> 'requestId', e ->> 'address', e ->> 'actorKind', e ->> 'actorId', e ->> 'keyId',
  (e ->> 'count')::integer, (e ->> 'chainSeq')::bigint, e ->> 'hash'
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS each (e, place) ORDER BY place`,
};
const list: Statement = {
  name: "audit_list",
  text: `
SELECT audit_id, at, ${COLUMNS} FROM runledger.audit_log
WHERE ($1 = '*' OR tenant_id = $1) AND audit_id < $2 ORDER BY audit_id DESC LIMIT $3`,
};
const read: Statement = {
  name: "audit_read",
  text: `
SELECT audit_id, at, ${COLUMNS} FROM runledger.audit_log
WHERE ($1 = '*' OR tenant_id = $1) AND audit_id > $2 ORDER BY audit_id LIMIT $3`,
};
const ends: Statement = {
  name: "audit_chain",
  text: "SELECT base_seq, base_hash, head_seq, head_hash FROM runledger.audit_chain",
};
/** The last entry before the first one that stays. */
const findOld: Statement = {
  name: "audit_find_old",
  text: `
SELECT audit_id, chain_seq, hash FROM runledger.audit_log
WHERE chain_seq IS NOT NULL AND audit_id < coalesce((
  SELECT min(audit_id) FROM runledger.audit_log
  WHERE at >= clock_timestamp() - $1::float8 * interval '1 millisecond'), 9223372036854775807)
ORDER BY audit_id DESC LIMIT 1`,
};
const remove: Statement = {
  name: "audit_remove",
  text: `
WITH removed AS (DELETE FROM runledger.audit_log WHERE audit_id <= $1 RETURNING 1),
moved AS (UPDATE runledger.audit_chain SET base_seq = $2, base_hash = $3)
SELECT count(*) FROM removed`,
};

export function audit(db: Database): Audit {
  return {
    recordAudit: (entries) => db.transaction(async (session) => append(session, await session.run(lock), entries)),
    listAudit: async ({ tenantId, beforeId = Number.MAX_SAFE_INTEGER, limit = 100 }) =>
      (await db.read(list, [tenantId, beforeId, limit])).map(toAuditEntry),
    readAudit: async ({ tenantId, afterId = 0, limit = 1000 }) =>
      (await db.read(read, [tenantId, afterId, limit])).map(toAuditEntry),
    auditChain: async () => {
      const [row] = await db.read(ends);
      if (row === undefined) return { base: AUDIT_START, head: AUDIT_START };
      const [baseSeq, baseHash, headSeq, headHash] = row;
      return { base: toLink(baseSeq, baseHash), head: toLink(headSeq, headHash) };
    },
    pruneAudit: ({ olderThanMs }) => db.transaction((session) => prune(session, olderThanMs), { patient: true }),
  };
}

async function append(session: Session, locked: Row[], entries: readonly AuditEntry[]): Promise<void> {
  const [seq, hash, at] = firstOf(locked);
  const chained = chainAudit(toLink(seq, hash), at as string, entries);
  const last = chained.at(-1);
  if (last !== undefined) await session.run(record, [JSON.stringify(chained), last.chainSeq, last.hash]);
}

async function prune(session: Session, olderThanMs: number): Promise<number> {
  const locked = await session.run(lock);
  const [old] = await session.run(findOld, [olderThanMs]);
  if (old === undefined) return 0;
  const [auditId, seq, hash] = old;
  const removed = firstOf(await session.run(remove, [auditId, seq, hash]))[0] as number;
  await append(session, locked, [prunedEntry(toLink(seq, hash), removed)]);
  return removed;
}

function toLink(seq: unknown, hash: unknown): AuditLink {
  return { seq: seq as number, hash: hash as string };
}
