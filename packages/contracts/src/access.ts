/** Each may do what those before it may. */
export const accessRoles = ["viewer", "operator", "engineer", "admin"] as const;
export type AccessRole = (typeof accessRoles)[number];

/** In place of a tenant: whoever holds it says for which one they act. */
export const ALL_TENANTS = "*";

/** What a credential is good for. */
export interface Grant {
  /** `*` = any. */
  readonly tenantId: string;
  readonly role: AccessRole;
  /** As it goes on record. */
  readonly name: string;
}

/** An API key without its secret, which nobody but its holder knows. */
export interface AccessKey extends Grant {
  readonly keyId: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Null = it does not expire. */
  readonly expiresAt: string | null;
  /** Null = it was not revoked. */
  readonly revokedAt: string | null;
  /** To the minute; null = it was never used. */
  readonly lastUsedAt: string | null;
}

export interface NewAccessKey extends Grant {
  readonly keyId: string;
  /** SHA-256 of the secret, in hexadecimal: the secret is long and random, so that nothing slower is needed. */
  readonly secretHash: string;
  readonly createdBy: string;
  /** From the store's now; null = it does not expire. */
  readonly ttlMs: number | null;
}

/** A browser that has shown a credential once. */
export interface AccessSession extends Grant {
  /** SHA-256 of what the cookie holds. */
  readonly sessionHash: string;
  /** What it was made with, so that it ends with it: the id of a key, or whatever tells two tokens apart. */
  readonly credential: string;
  readonly expiresAt: string;
}

/** Who may use the API. All times are the store's. */
export interface Access {
  createKey(key: NewAccessKey): Promise<AccessKey>;

  /** With the store's time, for whoever judges it. Null = there is none. */
  findKey(
    keyId: string,
  ): Promise<{ readonly now: string; readonly key: AccessKey; readonly secretHash: string } | null>;

  /** By id, ascending; those of every tenant for `*`. `limit`: default 1000. */
  listKeys(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<AccessKey[]>;

  /** Ends a key for good; revoking it again changes nothing. Null = the tenant has no such key. */
  revokeKey(params: { readonly tenantId: string; readonly keyId: string }): Promise<AccessKey | null>;

  /** Remembers that it was used, to the minute. */
  keyUsed(keyId: string): Promise<void>;

  /** Also forgets sessions that have expired. */
  createSession(session: Omit<AccessSession, "expiresAt">, ttlMs: number): Promise<AccessSession>;

  /** Null = there is none, or it has expired. */
  findSession(sessionHash: string): Promise<AccessSession | null>;

  removeSession(sessionHash: string): Promise<void>;
}
