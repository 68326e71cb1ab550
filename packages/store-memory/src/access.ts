import { ALL_TENANTS, type Access, type AccessKey, type AccessSession, type NewAccessKey } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

export interface AccessTables {
  readonly keys: Map<string, { readonly key: AccessKey; readonly secretHash: string }>;
  readonly sessions: Map<string, AccessSession>;
}

export function access(tables: Tables): Access {
  const { keys, sessions } = tables.access;
  return {
    createKey: async (key) => createKey(tables, key),
    findKey: async (keyId) => {
      const found = keys.get(keyId);
      return found === undefined ? null : { ...found, now: toInstant(tables.now()) };
    },
    listKeys: async ({ tenantId, afterId = "", limit = 1000 }) =>
      [...keys.values()]
        .map(({ key }) => key)
        .filter((key) => isOf(tenantId, key) && compareIds(key.keyId, afterId) > 0)
        .sort((one, other) => compareIds(one.keyId, other.keyId))
        .slice(0, limit),
    revokeKey: async ({ tenantId, keyId }) => {
      const found = keys.get(keyId);
      if (found === undefined || !isOf(tenantId, found.key)) return null;
      return change(tables, keyId, { revokedAt: found.key.revokedAt ?? toInstant(tables.now()) });
    },
    keyUsed: async (keyId) => {
      const minute = toInstant(tables.now() - (tables.now() % 60_000));
      if (keys.has(keyId)) change(tables, keyId, { lastUsedAt: minute });
    },
    createSession: async (session, ttlMs) => {
      const stored = { ...session, expiresAt: toInstant(tables.now() + ttlMs) };
      for (const old of sessions.values()) if (hasExpired(tables, old)) sessions.delete(old.sessionHash);
      sessions.set(session.sessionHash, stored);
      return stored;
    },
    findSession: async (sessionHash) => {
      const session = sessions.get(sessionHash);
      return session === undefined || hasExpired(tables, session) ? null : session;
    },
    removeSession: async (sessionHash) => void sessions.delete(sessionHash),
  };
}

function createKey(tables: Tables, { secretHash, ttlMs, ...key }: NewAccessKey): AccessKey {
  const now = tables.now();
  const expiresAt = ttlMs === null ? null : toInstant(now + ttlMs);
  const stored = { ...key, createdAt: toInstant(now), expiresAt, revokedAt: null, lastUsedAt: null };
  tables.access.keys.set(key.keyId, { key: stored, secretHash });
  return stored;
}

function change({ access: { keys } }: Tables, keyId: string, changes: Partial<AccessKey>): AccessKey {
  const { key, secretHash } = keys.get(keyId)!;
  const changed = { ...key, ...changes };
  keys.set(keyId, { key: changed, secretHash });
  return changed;
}

function isOf(tenantId: string, key: AccessKey): boolean {
  return tenantId === ALL_TENANTS || key.tenantId === tenantId;
}

function hasExpired(tables: Tables, { expiresAt }: AccessSession): boolean {
  return Date.parse(expiresAt) <= tables.now();
}

function toInstant(time: number): string {
  return new Date(time).toISOString();
}
