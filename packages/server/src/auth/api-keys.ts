/** API keys have the form `rlk_<id>_<secret>`. The store keeps only a hash of the secret. */
import { randomBytes } from "node:crypto";
import { InputError, type Access, type AccessKey, type NewAccessKey } from "@runledger/contracts";
import { isReservedName } from "./reserved-names.js";
import { hashOf, isSecret, newSecret } from "./secrets.js";

export const KEY_PREFIX = "rlk_";
/** A key that another server revoked stays usable here for up to this long. */
const CACHE_MS = 2000;
const MAX_CACHED = 10_000;

type Found = Awaited<ReturnType<Access["findKey"]>>;

interface CachedKey {
  readonly at: number;
  readonly found: Promise<Found>;
  /** `true` once this use is recorded. The store keeps the time of use to the minute. */
  isUseRecorded: boolean;
}

/** `text` contains the secret and cannot be recovered later. */
export async function createApiKey(
  access: Access,
  params: Omit<NewAccessKey, "keyId" | "secretHash">,
): Promise<{ readonly key: AccessKey; readonly text: string }> {
  refuseReserved(params.name);
  const keyId = `key_${randomBytes(10).toString("hex")}`;
  const secret = newSecret();
  const key = await access.createKey({ ...params, keyId, secretHash: hashOf(secret) });
  return { key, text: `${KEY_PREFIX}${keyId.slice("key_".length)}_${secret}` };
}

/** A run or an audit entry with such a name would seem to come from another kind of caller. */
function refuseReserved(name: string): void {
  if (isReservedName(name))
    throw new InputError("OPTION_INVALID", "name", `${name} is reserved. Choose another name for the key.`);
}

export class ApiKeys {
  readonly #access: Access;
  readonly #onError: (error: unknown) => void;
  readonly #cached = new Map<string, CachedKey>();

  constructor(access: Access, onError: (error: unknown) => void) {
    this.#access = access;
    this.#onError = onError;
  }

  /** `null` if the text is not a key, or if the key has expired or was revoked. */
  async check(text: string): Promise<AccessKey | null> {
    const [, id = "", secret = ""] = /^rlk_([0-9a-f]{20})_([\w-]{43})$/.exec(text) ?? [];
    if (id === "") return null;
    const cached = this.#find(`key_${id}`);
    const found = await cached.found;
    if (found === null || !isSecret(secret, found.secretHash) || !isValid(found)) return null;
    this.#recordUse(cached, found.key.keyId);
    return found.key;
  }

  /** Records one use per cached entry, without delaying the request. */
  #recordUse(cached: CachedKey, keyId: string): void {
    if (cached.isUseRecorded) return;
    cached.isUseRecorded = true;
    this.#access.keyUsed(keyId).catch(this.#onError);
  }

  /** Finds the key of a session. `null` if it has expired or was revoked. */
  async findValid(keyId: string): Promise<AccessKey | null> {
    const found = await this.#find(keyId).found;
    return found !== null && isValid(found) ? found.key : null;
  }

  /** Drops a key that this server changed from the cache. */
  evict(keyId: string): void {
    this.#cached.delete(keyId);
  }

  #find(keyId: string): CachedKey {
    const cached = this.#cached.get(keyId);
    if (cached !== undefined && Date.now() - cached.at < CACHE_MS) return cached;
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    const entry = { at: Date.now(), found: this.#access.findKey(keyId), isUseRecorded: false };
    this.#cached.set(keyId, entry);
    entry.found.catch(() => this.#cached.delete(keyId));
    return entry;
  }
}

function isValid({ key, now }: NonNullable<Found>): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
