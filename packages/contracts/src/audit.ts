/** The kind of an actor. `user` comes with a JWT, and `local` with the token of the data directory. */
export type AuditActorKind = "key" | "user" | "local" | "command-line" | "system" | "unknown";

/** A call that was denied, or that changed what others may do. Changes to runs are recorded in their own logs (G1). */
export interface AuditEntry {
  /** `null` if the caller was not recognized. */
  readonly tenantId: string | null;
  /** The name of the actor. */
  readonly actor: string;
  readonly actorKind: AuditActorKind;
  /** Identifies the actor, also if others have the same name. `null` if the caller was not recognized. */
  readonly actorId: string | null;
  /** The API key of the call or of its session. `null` if it used none. */
  readonly keyId: string | null;
  /** The operation, by its name in the API. */
  readonly action: string;
  /** The target of the operation: a path, or a key's id. */
  readonly target: string;
  /** `allowed` after all checks, before the operation runs. A second entry with `failed` follows if it then fails. */
  readonly outcome: "allowed" | "denied" | "failed";
  /** The error code of a denied or failed call. `null` if the call was allowed. */
  readonly code: string | null;
  readonly requestId: string;
  /** The address that the call came from. */
  readonly address: string;
  /** Calls that the entry stands for. Repeated denials of a minute share an entry. */
  readonly count: number;
}

export interface StoredAuditEntry extends AuditEntry {
  readonly auditId: number;
  readonly at: string;
  /** Position in the hash chain: 1 to n without gaps. `null` if an earlier version wrote the entry. */
  readonly chainSeq: number | null;
  /** Covers this entry and, through the previous hash, all entries before it. */
  readonly hash: string | null;
}

/** A place in the hash chain. */
export interface AuditLink {
  readonly seq: number;
  readonly hash: string;
}

/** The ends of the hash chain. */
export interface AuditChain {
  /** The last entry that was removed by age. Seq 0 if none was. */
  readonly base: AuditLink;
  /** The newest entry. */
  readonly head: AuditLink;
}

/** The record of who did what, or tried to. Entries never change, and form one hash chain per store. */
export interface Audit {
  /** Records all entries, or none. */
  recordAudit(entries: readonly AuditEntry[]): Promise<void>;

  /**
   * Lists entries newest first, below `beforeId`. `*` lists the entries of every tenant and those without one. `limit`
   * defaults to 100.
   */
  listAudit(params: {
    readonly tenantId: string;
    readonly beforeId?: number;
    readonly limit?: number;
  }): Promise<StoredAuditEntry[]>;

  /** Reads entries oldest first, above `afterId`. `*` reads those of every tenant. `limit` defaults to 1000. */
  readAudit(params: {
    readonly tenantId: string;
    readonly afterId?: number;
    readonly limit?: number;
  }): Promise<StoredAuditEntry[]>;

  auditChain(): Promise<AuditChain>;

  /**
   * Removes entries that are older, and returns their number. The chain's base moves to the last removed entry, and a new
   * entry records its hash.
   */
  pruneAudit(params: { readonly olderThanMs: number }): Promise<number>;
}
