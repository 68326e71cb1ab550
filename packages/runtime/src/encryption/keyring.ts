/** The keys of all tenants. A tenant has keys of its own, or keys that are derived from the shared ones. */
import { hkdfSync } from "node:crypto";
import { EncryptionKeyMissingError, type KeyManagement } from "@runledger/contracts";
import { checkKey, invalidKeys, parseKeyEntries } from "./payload-keys.js";

export interface EncryptionOptions {
  /**
   * Keys with 32 bytes: `id:base64`, the newest first, separated by commas or lines. The first one encrypts, and all of them
   * decrypt. `tenant|id:base64` is a key of one tenant, which is used instead of the shared ones.
   */
  readonly keys: string;
  /** Decrypts the keys, which are then stored encrypted. Default: the keys are not encrypted. */
  readonly kms?: KeyManagement;
  /** Ids of lost keys. Payloads that need them read as encrypted, instead of failing with ENCRYPTION_KEY_MISSING. */
  readonly lostKeys?: readonly string[];
}

/** The keys of one tenant that derive from one key. */
export interface TenantKey {
  readonly id: string;
  readonly cipher: Buffer;
  /** Computes nonces and digests. */
  readonly digest: Buffer;
}

const OPTION = "encryption.keys";
const SHARED = "";
const DERIVED_BYTES = 32;

export class Keyring {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  /** The id of the key that encrypts, by tenant. */
  readonly #current: ReadonlyMap<string, string>;
  readonly #lost: ReadonlySet<string>;
  readonly #derived = new Map<string, TenantKey>();

  private constructor(keys: ReadonlyMap<string, Uint8Array>, current: ReadonlyMap<string, string>, lost: Set<string>) {
    this.#keys = keys;
    this.#current = current;
    this.#lost = lost;
  }

  /** Unwraps every key once. Throws OPTION_INVALID if a key is malformed. */
  static async open({ keys: text, kms, lostKeys = [] }: EncryptionOptions): Promise<Keyring> {
    const keys = new Map<string, Uint8Array>();
    const current = new Map<string, string>();
    for (const [name, bytes] of parseKeyEntries(text, OPTION)) {
      const { tenant, keyId } = splitName(name);
      if (keys.has(keyId)) throw invalidKeys(OPTION, `Key ${keyId} occurs twice.`);
      const key = kms === undefined ? bytes : await kms.unwrapKey({ keyId, wrapped: bytes });
      checkKey(keyId, key, OPTION);
      keys.set(keyId, key);
      if (!current.has(tenant)) current.set(tenant, keyId);
    }
    if (!current.has(SHARED)) throw invalidKeys(OPTION, "There is no key that all tenants share.");
    return new Keyring(keys, current, new Set(lostKeys));
  }

  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Returns the key that encrypts payloads of the tenant. */
  current(tenantId: string): TenantKey {
    return this.#derive(tenantId, this.#current.get(tenantId) ?? this.#current.get(SHARED)!);
  }

  /** Returns the keys that may have encrypted payloads of the tenant. */
  all(tenantId: string): readonly TenantKey[] {
    return this.keyIds.map((keyId) => this.#derive(tenantId, keyId));
  }

  /** Returns `null` if the key is known to be lost. Throws ENCRYPTION_KEY_MISSING. */
  find(tenantId: string, keyId: string): TenantKey | null {
    if (this.#keys.has(keyId)) return this.#derive(tenantId, keyId);
    if (this.#lost.has(keyId)) return null;
    throw new EncryptionKeyMissingError(keyId);
  }

  #derive(tenantId: string, id: string): TenantKey {
    const name = `${id}|${tenantId}`;
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const bytes = hkdfSync("sha256", this.#keys.get(id)!, "", `runledger|${tenantId}`, 2 * DERIVED_BYTES);
    const parts = Buffer.from(bytes);
    const key = { id, cipher: parts.subarray(0, DERIVED_BYTES), digest: parts.subarray(DERIVED_BYTES) };
    this.#derived.set(name, key);
    return key;
  }
}

/** The id of a tenant cannot contain `|` (K3). */
function splitName(name: string): { readonly tenant: string; readonly keyId: string } {
  const [first = "", second, ...rest] = name.split("|");
  if (second === undefined) return { tenant: SHARED, keyId: first };
  if (first === "" || second === "" || rest.length > 0)
    throw invalidKeys(OPTION, `The name ${name} is neither an id nor of the form tenant|id.`);
  return { tenant: first, keyId: second };
}
