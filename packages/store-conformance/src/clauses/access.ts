import assert from "node:assert/strict";
import type { NewAccessKey } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refusedInput } from "../support/refused.js";

function keyOf(keyId: string, parts: Partial<NewAccessKey> = {}): NewAccessKey {
  const facts = { tenantId: "acme", role: "operator", name: "CI é", createdBy: "admin", ttlMs: null } as const;
  return { keyId, secretHash: `hash-of-${keyId}`, ...facts, ...parts };
}

const ids = (keys: readonly { readonly keyId: string }[]): string[] => keys.map(({ keyId }) => keyId);
const session = { sessionHash: "s1", tenantId: "acme", role: "viewer", name: "you", credential: "k1" } as const;

/** Keys and sessions that give access to the API. */
export const access = clause("access", ["access"], {
  "a key is found with its hash and the store's time, on every handle": async ({ store, another }) => {
    const made = await store.access.createKey(keyOf("k1", { ttlMs: 60_000 }));
    const found = await (await another()).access!.findKey("k1");
    assert.deepEqual(found?.key, made);
    assert.equal(found?.secretHash, "hash-of-k1");
    const { tenantId, role, name, createdBy, revokedAt, lastUsedAt } = made;
    assert.deepEqual(
      { tenantId, role, name, createdBy, revokedAt, lastUsedAt },
      { tenantId: "acme", role: "operator", name: "CI é", createdBy: "admin", revokedAt: null, lastUsedAt: null },
    );
    assert.equal(Math.round((Date.parse(made.expiresAt!) - Date.parse(made.createdAt)) / 1000), 60);
    assert.ok(found.now < made.expiresAt!);
    assert.equal((await store.access.createKey(keyOf("k2"))).expiresAt, null);
    assert.equal(await store.access.findKey("k3"), null);
  },

  "keys are listed by id, page by page, and only to their tenant": async ({ store }) => {
    for (const keyId of ["b", "B", "a", "c"]) await store.access.createKey(keyOf(keyId));
    await store.access.createKey(keyOf("a2", { tenantId: "other" }));
    assert.deepEqual(ids(await store.access.listKeys({ tenantId: "acme" })), ["B", "a", "b", "c"]);
    assert.deepEqual(ids(await store.access.listKeys({ tenantId: "acme", afterId: "a", limit: 1 })), ["b"]);
    assert.deepEqual(ids(await store.access.listKeys({ tenantId: "*" })), ["B", "a", "a2", "b", "c"]);
  },

  "a key is revoked once, by its tenant only": async ({ store }) => {
    await store.access.createKey(keyOf("k1"));
    assert.equal(await store.access.revokeKey({ tenantId: "other", keyId: "k1" }), null);
    assert.equal((await store.access.findKey("k1"))?.key.revokedAt, null);
    const revoked = await store.access.revokeKey({ tenantId: "acme", keyId: "k1" });
    assert.notEqual(revoked?.revokedAt ?? null, null);
    assert.deepEqual(await store.access.revokeKey({ tenantId: "*", keyId: "k1" }), revoked);
    assert.equal(await store.access.revokeKey({ tenantId: "acme", keyId: "k2" }), null);
  },

  "the last use of a key is known to the minute": async ({ store }) => {
    await store.access.createKey(keyOf("k1"));
    await store.access.keyUsed("k1");
    await store.access.keyUsed("k2");
    const { key, now } = (await store.access.findKey("k1"))!;
    assert.match(key.lastUsedAt!, /:00\.000Z$/);
    assert.ok(Date.parse(now) - Date.parse(key.lastUsedAt!) < 120_000);
  },

  "a session is found until it expires or is removed": async ({ store, another }) => {
    const made = await store.access.createSession(session, 60_000);
    const { expiresAt, ...said } = made;
    assert.deepEqual(said, session);
    assert.ok(Date.parse(expiresAt) > Date.now() + 30_000);
    assert.deepEqual(await (await another()).access!.findSession("s1"), made);
    await store.access.createSession({ ...session, sessionHash: "s2" }, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await store.access.findSession("s2"), null);
    await store.access.removeSession("s1");
    await store.access.removeSession("s1");
    assert.equal(await store.access.findSession("s1"), null);
  },

  "K3: values must be storable, and pages must have at least one entry": async ({ store }) => {
    await refusedInput(store.access.createKey(keyOf("k1", { name: "a\u0000" })), "IDENTIFIER_INVALID", "name");
    await refusedInput(store.access.createKey(keyOf("k1", { ttlMs: 0 })), "OPTION_INVALID", "ttlMs");
    await refusedInput(store.access.listKeys({ tenantId: "a", limit: 0 }), "OPTION_INVALID", "limit");
    await refusedInput(store.access.createSession({ ...session, name: "" }, 1), "IDENTIFIER_INVALID", "name");
    assert.equal(await store.access.findKey("k1"), null);
  },
});
