/** API keys: `rlk_<id>_<secret>`. The store knows a hash of the secret, and nobody but the holder the secret. */
import { randomBytes } from "node:crypto";
import type { Access, AccessKey, NewAccessKey } from "@runledger/contracts";
import { hashOf, isSecret, newSecret } from "./secrets.js";

export const KEY_PREFIX = "rlk_";
/** How long a key that was revoked elsewhere may still be used here. */
const REMEMBERED_MS = 2000;
const MOST_REMEMBERED = 10_000;

type Found = Awaited<ReturnType<Access["findKey"]>>;

interface Known {
  readonly at: number;
  readonly found: Promise<Found>;
  /** Its use was told to the store, which knows it to the minute. */
  isNoted: boolean;
}

/** The key as it is shown, once. */
export async function createApiKey(
  access: Access,
  wanted: Omit<NewAccessKey, "keyId" | "secretHash">,
): Promise<{ readonly key: AccessKey; readonly text: string }> {
  const keyId = `key_${randomBytes(10).toString("hex")}`;
  const secret = newSecret();
  const key = await access.createKey({ ...wanted, keyId, secretHash: hashOf(secret) });
  return { key, text: `${KEY_PREFIX}${keyId.slice("key_".length)}_${secret}` };
}

export class ApiKeys {
  readonly #access: Access;
  readonly #onError: (error: unknown) => void;
  readonly #known = new Map<string, Known>();

  constructor(access: Access, onError: (error: unknown) => void) {
    this.#access = access;
    this.#onError = onError;
  }

  /** Null = it is no key, or no longer one. */
  async check(text: string): Promise<AccessKey | null> {
    const [, id = "", secret = ""] = /^rlk_([0-9a-f]{20})_([\w-]{43})$/.exec(text) ?? [];
    if (id === "") return null;
    const known = this.#find(`key_${id}`);
    const found = await known.found;
    if (found === null || !isSecret(secret, found.secretHash) || !isValid(found)) return null;
    this.#note(known, found.key.keyId);
    return found.key;
  }

  /** Once for all who use what is remembered, and nobody waits for it. */
  #note(known: Known, keyId: string): void {
    if (known.isNoted) return;
    known.isNoted = true;
    this.#access.keyUsed(keyId).catch(this.#onError);
  }

  /** For a session that was made with it. */
  async valid(keyId: string): Promise<AccessKey | null> {
    const found = await this.#find(keyId).found;
    return found !== null && isValid(found) ? found.key : null;
  }

  /** It was changed here: no need to wait. */
  forget(keyId: string): void {
    this.#known.delete(keyId);
  }

  #find(keyId: string): Known {
    const known = this.#known.get(keyId);
    if (known !== undefined && Date.now() - known.at < REMEMBERED_MS) return known;
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    const asked = { at: Date.now(), found: this.#access.findKey(keyId), isNoted: false };
    this.#known.set(keyId, asked);
    asked.found.catch(() => this.#known.delete(keyId));
    return asked;
  }
}

function isValid({ key, now }: NonNullable<Found>): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
