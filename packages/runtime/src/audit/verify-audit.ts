/** Verifies the hash chain of the audit: that no entry was changed, removed, added or moved. */
import {
  ALL_TENANTS,
  auditHash,
  type Audit,
  type AuditChain,
  type AuditLink,
  type StoredAuditEntry,
} from "@runledger/contracts";

export interface AuditVerification {
  /** Entries that were verified. */
  readonly entries: number;
  /** Entries of earlier versions, which are not part of the chain. */
  readonly unchained: number;
  /** The newest entry. Keep it elsewhere: a later verification with it finds a chain that was written again. */
  readonly head: AuditLink;
  readonly problems: readonly string[];
}

export interface VerifyAuditOptions {
  /** The head of an earlier verification. */
  readonly anchor?: AuditLink;
}

export async function verifyAudit(audit: Audit, options: VerifyAuditOptions = {}): Promise<AuditVerification> {
  const chain = await audit.auditChain();
  const result = await new ChainCheck(chain, options).run(audit);
  const wasPruned = result.problems.length > 0 && (await audit.auditChain()).base.seq !== chain.base.seq;
  return wasPruned ? verifyAudit(audit, options) : result; // entries were removed by age while they were read
}

class ChainCheck {
  readonly #chain: AuditChain;
  readonly #anchor: AuditLink | undefined;
  readonly #problems: string[] = [];
  #last: AuditLink;
  #entries = 0;
  #unchained = 0;

  constructor(chain: AuditChain, { anchor }: VerifyAuditOptions) {
    this.#chain = chain;
    this.#anchor = anchor;
    this.#last = chain.base;
  }

  async run(audit: Audit): Promise<AuditVerification> {
    const { head } = this.#chain;
    this.#compareAnchor(this.#chain.base);
    for (let afterId = 0; ;) {
      const page = await audit.readAudit({ tenantId: ALL_TENANTS, afterId });
      for (const entry of page) this.#check(entry);
      if (page.length === 0 || this.#last.seq > head.seq) break;
      afterId = page.at(-1)!.auditId;
    }
    this.#checkEnd();
    return { entries: this.#entries, unchained: this.#unchained, head, problems: this.#problems };
  }

  #check(entry: StoredAuditEntry): void {
    const { auditId, chainSeq, hash } = entry;
    if (chainSeq === null || hash === null) return this.#checkUnchained(auditId);
    if (chainSeq > this.#chain.head.seq) return void (this.#last = { seq: chainSeq, hash }); // written meanwhile
    const expected = this.#last.seq + 1;
    if (chainSeq < expected) this.#problems.push(`Entry ${chainSeq} is not in its place.`);
    if (chainSeq > expected) this.#problems.push(`${rangeText(expected, chainSeq - 1)} missing.`);
    else if (chainSeq === expected && auditHash(this.#last.hash, { ...entry, chainSeq }) !== hash)
      this.#problems.push(`Entry ${chainSeq} was changed.`);
    this.#entries++;
    this.#last = { seq: chainSeq, hash };
    this.#compareAnchor(this.#last);
  }

  #checkUnchained(auditId: number): void {
    this.#unchained++;
    if (this.#entries > 0) this.#problems.push(`The entry with id ${auditId} is not part of the chain.`);
  }

  #compareAnchor({ seq, hash }: AuditLink): void {
    if (this.#anchor?.seq === seq && this.#anchor.hash !== hash)
      this.#problems.push(`Entry ${seq} is not the one of the anchor. The chain was written again.`);
  }

  #checkEnd(): void {
    const { base, head } = this.#chain;
    const { seq, hash } = this.#last;
    if (seq < head.seq) this.#problems.push(`${rangeText(seq + 1, head.seq)} missing.`);
    else if (seq === head.seq && hash !== head.hash) this.#problems.push(`Entry ${seq} is not the newest one.`);
    if (this.#anchor !== undefined && this.#anchor.seq > head.seq)
      this.#problems.push(`${rangeText(head.seq + 1, this.#anchor.seq)} missing.`);
    if (this.#anchor !== undefined && this.#anchor.seq < base.seq)
      this.#problems.push(`The entry of the anchor was removed by age. Use the head of a newer verification.`);
  }
}

function rangeText(from: number, to: number): string {
  return from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`;
}
