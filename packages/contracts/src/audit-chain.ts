/** The hash chain of the audit. Stores and the verification compute the same hashes. */
import type { AuditEntry, AuditLink, StoredAuditEntry } from "./audit.js";
import { sha256Hex } from "./idempotency-key.js";

/** Precedes the first entry. */
export const AUDIT_START: AuditLink = { seq: 0, hash: "0".repeat(64) };

export type ChainedAuditEntry = Omit<StoredAuditEntry, "auditId"> & {
  readonly chainSeq: number;
  readonly hash: string;
};

/** Covers every field of the entry, its place and its time. */
export function auditHash(previous: string, entry: Omit<ChainedAuditEntry, "hash">): string {
  const { chainSeq, at, tenantId, actor, actorKind, actorId, keyId, ...rest } = entry;
  const { action, target, outcome, code, requestId, address, count } = rest;
  const who = [tenantId, actor, actorKind, actorId, keyId];
  return sha256Hex(
    JSON.stringify([previous, chainSeq, at, ...who, action, target, outcome, code, requestId, address, count]),
  );
}

/** Appends entries to the chain that ends at `head`. */
export function chainAudit(head: AuditLink, at: string, entries: readonly AuditEntry[]): ChainedAuditEntry[] {
  let { seq, hash } = head;
  return entries.map((entry) => {
    const placed = { ...entry, at, chainSeq: ++seq };
    hash = auditHash(hash, placed);
    return { ...placed, hash };
  });
}

/** Records that entries up to `last` were removed by age. */
export function prunedEntry(last: AuditLink, count: number): AuditEntry {
  return {
    tenantId: null,
    actor: "runledger",
    actorKind: "system",
    actorId: null,
    keyId: null,
    action: "pruneAudit",
    target: `${count} entries up to ${last.seq}:${last.hash}`,
    outcome: "allowed",
    code: null,
    requestId: "none",
    address: "none",
    count: 1,
  };
}
