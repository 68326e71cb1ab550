/** Secrets that Runledger itself can change. */
import type { ISecretsProvider } from "@runledger/contracts";

/** A version of a secret, without its value. */
export interface SecretInfo {
  readonly name: string;
  readonly version: string;
  /** `null` if all tenants share the secret. */
  readonly tenantId: string | null;
  /** `null` if it belongs to all environments. */
  readonly environmentId: string | null;
  /** The key that encrypts it. */
  readonly keyId: string;
  readonly createdAt: string;
}

export interface NewSecret {
  readonly name: string;
  readonly value: string;
  /** Default: all tenants share the secret. */
  readonly tenantId?: string;
  /** Default: all environments. Needs a tenant. */
  readonly environmentId?: string;
}

export interface ManagedSecrets extends ISecretsProvider {
  /** Lists all versions by name, the newest first. Never returns a value. */
  list(): Promise<SecretInfo[]>;
  /** Stores a new version. Earlier versions stay readable. */
  set(secret: NewSecret): Promise<SecretInfo>;
  /** Encrypts the data keys of all secrets with the newest key, while workers continue. Returns how many changed. */
  rotate(): Promise<number>;
}
