import type { Access, AccessKey, AccessRole, AccessSession, NewAccessKey } from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

const KEY = "key_id, tenant_id, role, name, created_at, created_by, expires_at, revoked_at, last_used_at";
const SESSION = "session_hash, tenant_id, role, name, credential, expires_at";
/** A time to live in milliseconds. `null` stays `null`. */
const after = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;

const create: Statement = {
  name: "access_create_key",
  text: `
INSERT INTO runledger.access_keys (key_id, tenant_id, role, name, secret_hash, created_by, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, ${after("$7")}) RETURNING ${KEY}`,
};
const find: Statement = {
  name: "access_find_key",
  text: `SELECT ${KEY}, secret_hash, clock_timestamp()::timestamptz(3) FROM runledger.access_keys WHERE key_id = $1`,
};
const list: Statement = {
  name: "access_list_keys",
  text: `
SELECT ${KEY} FROM runledger.access_keys WHERE ($1 = '*' OR tenant_id = $1) AND key_id > $2 ORDER BY key_id LIMIT $3`,
};
const revoke: Statement = {
  name: "access_revoke_key",
  text: `
UPDATE runledger.access_keys SET revoked_at = coalesce(revoked_at, clock_timestamp())
WHERE ($1 = '*' OR tenant_id = $1) AND key_id = $2 RETURNING ${KEY}`,
};
/** Updates the time at most once a minute for each key, not with every request. */
const used: Statement = {
  name: "access_key_used",
  text: `
UPDATE runledger.access_keys SET last_used_at = date_trunc('minute', clock_timestamp())
WHERE key_id = $1 AND last_used_at IS DISTINCT FROM date_trunc('minute', clock_timestamp())`,
};
const open: Statement = {
  name: "access_open_session",
  text: `
WITH forgotten AS (DELETE FROM runledger.access_sessions WHERE expires_at <= clock_timestamp())
INSERT INTO runledger.access_sessions (${SESSION}) VALUES ($1, $2, $3, $4, $5, ${after("$6")}) RETURNING ${SESSION}`,
};
const findOpen: Statement = {
  name: "access_find_session",
  text: `SELECT ${SESSION} FROM runledger.access_sessions WHERE session_hash = $1 AND expires_at > clock_timestamp()`,
};
const remove: Statement = {
  name: "access_remove_session",
  text: "DELETE FROM runledger.access_sessions WHERE session_hash = $1",
};

export function access(db: Database): Access {
  return {
    createKey: (key) => createKey(db, key),
    findKey: async (keyId) => {
      const [row] = await db.read(find, [keyId]);
      return row === undefined ? null : { key: toKey(row), secretHash: row[9] as string, now: row[10] as string };
    },
    listKeys: async ({ tenantId, afterId = "", limit = 1000 }) =>
      (await db.read(list, [tenantId, afterId, limit])).map(toKey),
    revokeKey: async ({ tenantId, keyId }) => {
      const [row] = await db.write(revoke, [tenantId, keyId]);
      return row === undefined ? null : toKey(row);
    },
    keyUsed: async (keyId) => void (await db.write(used, [keyId])),
    createSession: async ({ sessionHash, tenantId, role, name, credential }, ttlMs) =>
      toSession(firstOf(await db.write(open, [sessionHash, tenantId, role, name, credential, ttlMs]))),
    findSession: async (sessionHash) => {
      const [row] = await db.read(findOpen, [sessionHash]);
      return row === undefined ? null : toSession(row);
    },
    removeSession: async (sessionHash) => void (await db.write(remove, [sessionHash])),
  };
}

async function createKey(db: Database, key: NewAccessKey): Promise<AccessKey> {
  const { keyId, tenantId, role, name, secretHash, createdBy, ttlMs } = key;
  return toKey(firstOf(await db.write(create, [keyId, tenantId, role, name, secretHash, createdBy, ttlMs])));
}

function toKey(row: Row): AccessKey {
  const [keyId, tenantId, role, name, createdAt, createdBy, expiresAt, revokedAt, lastUsedAt] = row as string[];
  return {
    keyId: keyId!,
    tenantId: tenantId!,
    role: role as AccessRole,
    name: name!,
    createdAt: createdAt!,
    createdBy: createdBy!,
    expiresAt: expiresAt ?? null,
    revokedAt: revokedAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
  };
}

function toSession(row: Row): AccessSession {
  const [sessionHash, tenantId, role, name, credential, expiresAt] = row as string[];
  return {
    sessionHash: sessionHash!,
    tenantId: tenantId!,
    role: role as AccessRole,
    name: name!,
    credential: credential!,
    expiresAt: expiresAt!,
  };
}
