import assert from "node:assert/strict";
import type { AuditEntry } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refusedInput } from "../support/refused.js";

function entry(target: string, parts: Partial<AuditEntry> = {}): AuditEntry {
  const facts = { tenantId: "acme", actor: "you", action: "createKey", outcome: "allowed", code: null } as const;
  return { ...facts, target, requestId: "r1", address: "127.0.0.1", ...parts };
}

const targets = (entries: readonly AuditEntry[]): string[] => entries.map(({ target }) => target);

/** Who did what, or tried to. */
export const audit = clause("audit", ["audit"], {
  "entries are read back as they were, newest first, page by page": async ({ store, another }) => {
    const denied = entry("b 'é", { outcome: "denied", code: "FORBIDDEN" });
    await store.audit.recordAudit([entry("a"), denied]);
    await (await another()).audit!.recordAudit([entry("c")]);
    const all = await store.audit.listAudit({ tenantId: "acme" });
    assert.deepEqual(targets(all), ["c", "b 'é", "a"]);
    const { auditId, at, ...said } = all[1]!;
    assert.deepEqual(said, denied);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme", beforeId: auditId })), ["a"]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme", limit: 1 })), ["c"]);
  },

  "a tenant sees its own, and nobody's are seen by none of them": async ({ store }) => {
    await store.audit.recordAudit([entry("a"), entry("b", { tenantId: "other" }), entry("c", { tenantId: null })]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "acme" })), ["a"]);
    assert.deepEqual(targets(await store.audit.listAudit({ tenantId: "*" })), ["c", "b", "a"]);
  },

  "P1: what cannot be stored is refused, with all that came with it": async ({ store }) => {
    const broken = store.audit.recordAudit([entry("a"), entry("b\u0000")]);
    await refusedInput(broken, "PAYLOAD_NOT_JSON", "entries[1].target");
    assert.deepEqual(await store.audit.listAudit({ tenantId: "acme" }), []);
    await refusedInput(store.audit.listAudit({ tenantId: "acme", limit: 0 }), "OPTION_INVALID", "limit");
  },
});
