import { ALL_TENANTS, type Access, type AccessKey, type AccessSession, type NewAccessKey } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { iso } from "./clock.js";
import { changeDocument, listDocuments, newDocument, readDocument } from "./documents.js";
import { text, type Item } from "./encoding.js";
import { deleteItems, getItem, putItems } from "./items.js";
import { TTL } from "./migrate.js";
import type { Key } from "./table.js";

interface StoredKey {
  readonly key: AccessKey;
  readonly secretHash: string;
}

const KEYS = "ACCESS#keys";
const keyOf = (keyId: string): Key => ({ pk: KEYS, sk: keyId });
const sessionKey = (sessionHash: string): Key => ({ pk: `ACCESS#session#${sessionHash}`, sk: "-" });

const MINUTE_MS = 60_000;

/** Sessions are deleted by the table's TTL. Until then an expired one is not found. */
export function access({ client }: Db): Access {
  const now = (): number => client.clock.now();
  return {
    createKey: (key) => createKey(client, key),
    findKey: async (keyId) => {
      const stored = await readDocument<StoredKey>(client, keyOf(keyId));
      return stored === null ? null : { ...stored.value, now: iso(now()) };
    },
    listKeys: async ({ tenantId, afterId = "", limit = 1000 }) => {
      const selects = ({ key }: StoredKey): boolean => isOf(tenantId, key);
      return (await listDocuments<StoredKey>(client, { pk: KEYS, after: afterId, limit, selects })).map(
        ({ key }) => key,
      );
    },
    revokeKey: async ({ tenantId, keyId }) => {
      const found = await readDocument<StoredKey>(client, keyOf(keyId));
      if (found === null || !isOf(tenantId, found.value.key)) return null;
      return changeKey(client, keyId, ({ revokedAt }) => ({ revokedAt: revokedAt ?? iso(now()) }));
    },
    keyUsed: async (keyId) => {
      const minute = iso(now() - (now() % MINUTE_MS));
      await changeKey(client, keyId, () => ({ lastUsedAt: minute }));
    },
    createSession: async (session, ttlMs) => {
      const expiresAt = now() + ttlMs;
      const stored = { ...session, expiresAt: iso(expiresAt) };
      const item = {
        ...sessionKey(session.sessionHash),
        d: JSON.stringify(stored),
        [TTL]: Math.ceil(expiresAt / 1000),
      };
      await putItems(client, [item]);
      return stored;
    },
    findSession: async (sessionHash) => {
      const session = toSession(await getItem(client, sessionKey(sessionHash)));
      return session === null || Date.parse(session.expiresAt) <= now() ? null : session;
    },
    removeSession: (sessionHash) => deleteItems(client, [sessionKey(sessionHash)]),
  };
}

async function createKey(client: DynamoClient, { secretHash, ttlMs, ...key }: NewAccessKey): Promise<AccessKey> {
  const now = client.clock.now();
  const expiresAt = ttlMs === null ? null : iso(now + ttlMs);
  const stored = { ...key, createdAt: iso(now), expiresAt, revokedAt: null, lastUsedAt: null };
  await client.transact([newDocument(keyOf(key.keyId), { key: stored, secretHash } satisfies StoredKey)]);
  return stored;
}

async function changeKey(
  client: DynamoClient,
  keyId: string,
  changes: (key: AccessKey) => Partial<AccessKey>,
): Promise<AccessKey | null> {
  const changed = await changeDocument<StoredKey>(client, keyOf(keyId), ({ key, secretHash }) => ({
    key: { ...key, ...changes(key) },
    secretHash,
  }));
  return changed === null ? null : changed.key;
}

function isOf(tenantId: string, key: AccessKey): boolean {
  return tenantId === ALL_TENANTS || key.tenantId === tenantId;
}

function toSession(item: Item | null): AccessSession | null {
  return item === null ? null : (JSON.parse(text(item, "d")) as AccessSession);
}
