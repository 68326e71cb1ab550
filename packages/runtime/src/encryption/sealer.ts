/**
 * Encrypts payloads with the key of their tenant. A sealed payload names its key and its tenant. It decrypts only at the
 * place that it was written for, so payloads cannot be exchanged inside a database.
 *
 * The nonce is a keyed digest of place and content. The retry of an append therefore sends the same bytes, and the store
 * recognizes it as the same event (K5). Two different payloads share a nonce with negligible probability.
 */
import { createHmac } from "node:crypto";
import { PayloadUnreadableError, SEALED_CHUNK } from "@runledger/contracts";
import { decrypt, encrypt, NONCE_BYTES } from "./aes-gcm.js";
import type { Keyring, TenantKey } from "./keyring.js";

/** A place in the store: the kind of data and the ids that identify it. */
export type Place = readonly string[];

const VERSION = "v1";
const MAGIC = Buffer.from(SEALED_CHUNK);

export function isSealedText(text: string): boolean {
  return text.startsWith(`${VERSION}:`);
}

export class Sealer {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  get keyIds(): readonly string[] {
    return this.#keyring.keyIds;
  }

  /** The id of the key that encrypts payloads of the tenant. */
  keyIdOf(tenantId: string): string {
    return this.#keyring.current(tenantId).id;
  }

  sealText(text: string, tenantId: string, place: Place): string {
    return [VERSION, ...this.#seal(Buffer.from(text), tenantId, place)].join(":");
  }

  /** Returns `null` if the key is lost. */
  openText(sealed: string, place: Place): string | null {
    const [, keyId = "", tenant = "", data = ""] = sealed.split(":");
    return this.#open({ keyId, tenant, data: Buffer.from(data, "base64") }, place)?.toString() ?? null;
  }

  sealBytes(bytes: Uint8Array, tenantId: string, place: Place): Uint8Array {
    const [keyId, tenant, data] = this.#seal(bytes, tenantId, place);
    const name = Buffer.from(`${keyId}:${tenant}`);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(name.length);
    return Buffer.concat([MAGIC, length, name, Buffer.from(data, "base64")]);
  }

  /** Returns `null` if the key is lost. Bytes that were written before encryption was configured are returned unchanged. */
  openBytes(sealed: Uint8Array, place: Place): Uint8Array | null {
    const buffer = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (!buffer.subarray(0, MAGIC.length).equals(MAGIC)) return sealed;
    const start = MAGIC.length + 2;
    const end = start + buffer.readUInt16BE(MAGIC.length);
    const [keyId = "", tenant = ""] = buffer.subarray(start, end).toString().split(":");
    return this.#open({ keyId, tenant, data: buffer.subarray(end) }, place);
  }

  /** Hides a hash that could be guessed from its content. Equal hashes stay equal. */
  digest(hash: string, tenantId: string): string {
    const { id, digest } = this.#keyring.current(tenantId);
    return `${id}:${keyedDigest(digest, hash)}`;
  }

  /** Returns true if `digest` hides this hash, also under an earlier key. */
  isDigestOf(digest: string, hash: string, tenantId: string): boolean {
    return this.#keyring.all(tenantId).some((key) => digest === `${key.id}:${keyedDigest(key.digest, hash)}`);
  }

  #seal(plain: Uint8Array, tenantId: string, place: Place): [keyId: string, tenant: string, data: string] {
    const { id, cipher, digest } = this.#keyring.current(tenantId);
    const context = contextOf(place);
    const nonce = createHmac("sha256", digest).update(context).update("\0").update(plain).digest();
    const data = encrypt(cipher, plain, { nonce: nonce.subarray(0, NONCE_BYTES), context });
    return [id, Buffer.from(tenantId).toString("base64url"), data.toString("base64")];
  }

  #open({ keyId, tenant, data }: { keyId: string; tenant: string; data: Uint8Array }, place: Place): Buffer | null {
    const key: TenantKey | null = this.#keyring.find(Buffer.from(tenant, "base64url").toString(), keyId);
    if (key === null) return null;
    try {
      return decrypt(key.cipher, data, { context: contextOf(place) });
    } catch (cause) {
      throw new PayloadUnreadableError(keyId, place.join(" "), { cause });
    }
  }
}

/** Ids contain no `|` (K3), so that different places have different contexts. */
function contextOf(place: Place): string {
  return place.join("|");
}

function keyedDigest(key: Uint8Array, hash: string): string {
  return createHmac("sha256", key).update(`hash\0${hash}`).digest("hex");
}
