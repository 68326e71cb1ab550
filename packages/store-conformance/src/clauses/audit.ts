import assert from "node:assert/strict";
import { auditHash, type AuditEntry, type StoredAuditEntry } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refusedInput } from "../support/refused.js";

function entry(target: string, parts: Partial<AuditEntry> = {}): AuditEntry {
  const actor = { actor: "you", actorKind: "key", actorId: "key_1", keyId: "key_1" } as const;
  const facts = { tenantId: "acme", ...actor, action: "createKey", outcome: "allowed", code: null, count: 1 } as const;
  return { ...facts, target, requestId: "r1", address: "127.0.0.1", ...parts };
}

const targets = (entries: readonly AuditEntry[]): string[] => entries.map(({ target }) => target);

/** Asserts that each hash covers its entry and the hash before it. */
function assertChained(before: string, entries: readonly StoredAuditEntry[]): void {
  let previous = before;
  for (const { auditId: _, hash, chainSeq, ...fields } of entries) {
    assert.equal(hash, auditHash(previous, { ...fields, chainSeq: chainSeq! }));
    previous = hash!;
  }
}

/** The record of who did what, or tried to. */
export const audit = clause("audit", ["audit"], {
  "entries are read back as they were, newest first, page by page": async ({ store, another }) => {
    const denied = entry("b 'é", { outcome: "denied", code: "FORBIDDEN" });
    await store.audit.recordAudit([entry("a"), denied]);
    await (await another()).audit!.recordAudit([entry("c")]);
    const all = await store.audit.listAudit({ tenantId: "acme" });
    assert.deepEqual(targets(all), ["c", "b 'é", "a"]);
    const { auditId, at, chainSeq: _, hash: __, ...said } = all[1]!;
    assert.deepEqual(said, denied);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme", beforeId: auditId })), ["a"]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme", limit: 1 })), ["c"]);
  },

  "a tenant sees only its own entries, and no tenant sees entries without one": async ({ store }) => {
    await store.audit.recordAudit([entry("a"), entry("b", { tenantId: "other" }), entry("c", { tenantId: null })]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme" })), ["a"]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "*" })), ["c", "b", "a"]);
  },

  "entries are read oldest first, and continue after an id": async ({ store }) => {
    await store.audit.recordAudit([entry("a"), entry("b", { tenantId: null }), entry("c")]);
    const all = await store.audit.readAudit({ tenantId: "*" });
    assert.deepEqual(targets(all), ["a", "b", "c"]);
    assert.deepEqual(targets(await store.audit.readAudit({ tenantId: "acme" })), ["a", "c"]);
    assert.deepEqual(targets(await store.audit.readAudit({ tenantId: "*", afterId: all[0]!.auditId, limit: 1 })), [
      "b",
    ]);
  },

  "concurrent writers extend one hash chain without gaps": async ({ store, another }) => {
    const other = (await another()).audit!;
    const writers = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? store.audit : other));
    await Promise.all(writers.map((writer, n) => writer.recordAudit([entry(`a${n}`), entry(`b${n}`)])));
    const all = await store.audit.readAudit({ tenantId: "*" });
    const { base, head } = await store.audit.auditChain();
    assert.deepEqual(
      all.map(({ chainSeq }) => chainSeq),
      Array.from({ length: 20 }, (_, n) => base.seq + n + 1),
    );
    assert.deepEqual({ seq: all.at(-1)!.chainSeq, hash: all.at(-1)!.hash }, head);
    assertChained(base.hash, all);
  },

  "old entries are removed, and the chain keeps the hash of the last one": async ({ store }) => {
    await store.audit.recordAudit([entry("a"), entry("b")]);
    const last = (await store.audit.auditChain()).head;
    assert.equal(await store.audit.pruneAudit({ olderThanMs: 3_600_000 }), 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await store.audit.pruneAudit({ olderThanMs: 0 }), 2);
    const { base, head } = await store.audit.auditChain();
    assert.deepEqual(base, last);
    const [record, ...others] = await store.audit.readAudit({ tenantId: "*" });
    assert.equal(others.length, 0);
    assert.equal(record!.action, "pruneAudit");
    assert.ok(record!.target.includes(`${last.seq}:${last.hash}`));
    assert.equal(record!.hash, head.hash);
    assertChained(base.hash, [record!]);
  },

  "P1: what cannot be stored is refused, with all that came with it": async ({ store }) => {
    const broken = store.audit.recordAudit([entry("a"), entry("b\u0000")]);
    await refusedInput(broken, "PAYLOAD_NOT_JSON", "entries[1].target");
    assert.deepEqual(await store.audit.listAudit({ tenantId: "acme" }), []);
    await refusedInput(store.audit.listAudit({ tenantId: "acme", limit: 0 }), "OPTION_INVALID", "limit");
  },
});
