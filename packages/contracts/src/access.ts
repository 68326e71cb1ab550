/** Roles in ascending order: each role includes the rights of the roles before it. */
export const accessRoles = ["viewer", "operator", "engineer", "admin"] as const;
export type AccessRole = (typeof accessRoles)[number];

/** Stands for every tenant. A caller with this grant names the tenant it acts for in each request. */
export const ALL_TENANTS = "*";

/** The rights that a credential carries. */
export interface Grant {
  /** `*` allows every tenant. */
  readonly tenantId: string;
  readonly role: AccessRole;
  /** Recorded as the author of what the caller does. */
  readonly name: string;
}

/** An API key without its secret. The store keeps only a hash of the secret. */
export interface AccessKey extends Grant {
  readonly keyId: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** `null` if the key does not expire. */
  readonly expiresAt: string | null;
  /** `null` if the key is not revoked. */
  readonly revokedAt: string | null;
  /** Rounded to the minute. `null` if the key was never used. */
  readonly lastUsedAt: string | null;
}

export interface NewAccessKey extends Grant {
  readonly keyId: string;
  /** SHA-256 of the secret, in hexadecimal. The secret is long and random, so a slow hash adds nothing. */
  readonly secretHash: string;
  readonly createdBy: string;
  /** Lifetime, counted from the store's current time. `null` if the key does not expire. */
  readonly ttlMs: number | null;
}

/** A browser session, created when the browser presents a credential. */
export interface AccessSession extends Grant {
  /** SHA-256 of the cookie's value. */
  readonly sessionHash: string;
  /**
   * The credential that created the session: a key's id, or a value that identifies a token. The session ends with it.
   */
  readonly credential: string;
  readonly expiresAt: string;
}

/** Keys and sessions that give access to the API. All times come from the store's clock. */
export interface Access {
  createKey(key: NewAccessKey): Promise<AccessKey>;

  /**
   * Returns the key with the store's current time, so that the caller can check expiry. Returns `null` if there is no
   * such key.
   */
  findKey(
    keyId: string,
  ): Promise<{ readonly now: string; readonly key: AccessKey; readonly secretHash: string } | null>;

  /** Lists keys by id, ascending; `*` lists the keys of every tenant. `limit` defaults to 1000. */
  listKeys(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<AccessKey[]>;

  /** Revokes a key permanently. Revoking it again changes nothing. Returns `null` if the tenant has no such key. */
  revokeKey(params: { readonly tenantId: string; readonly keyId: string }): Promise<AccessKey | null>;

  /** Records that the key was used, rounded to the minute. */
  keyUsed(keyId: string): Promise<void>;

  /** Creates a session and deletes expired ones. */
  createSession(session: Omit<AccessSession, "expiresAt">, ttlMs: number): Promise<AccessSession>;

  /** Returns `null` if there is no such session or it has expired. */
  findSession(sessionHash: string): Promise<AccessSession | null>;

  removeSession(sessionHash: string): Promise<void>;
}
