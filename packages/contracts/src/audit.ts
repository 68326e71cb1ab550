/** A call that was denied, or that changed what others may do. Runs have their own record (G1). */
export interface AuditEntry {
  /** Null = it is not known: whoever called was not recognised. */
  readonly tenantId: string | null;
  readonly actor: string;
  /** The operation, as the API names it. */
  readonly action: string;
  /** What it was about: a path, a key's id. */
  readonly target: string;
  readonly outcome: "allowed" | "denied";
  /** Why it was denied; null = it was not. */
  readonly code: string | null;
  readonly requestId: string;
  /** Where the call came from. */
  readonly address: string;
}

export interface StoredAuditEntry extends AuditEntry {
  readonly auditId: number;
  readonly at: string;
}

/** Who did what, or tried to. Entries are never changed. */
export interface Audit {
  /** All of them, or none. */
  recordAudit(entries: readonly AuditEntry[]): Promise<void>;

  /** Newest first, below `beforeId`; those of every tenant, and of none, for `*`. `limit`: default 100. */
  listAudit(params: {
    readonly tenantId: string;
    readonly beforeId?: number;
    readonly limit?: number;
  }): Promise<StoredAuditEntry[]>;
}
