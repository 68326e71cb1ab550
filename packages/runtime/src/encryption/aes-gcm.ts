/** AES-256-GCM, with the nonce in front of the ciphertext and the tag behind it. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Encryption {
  /** Default: random. */
  readonly nonce?: Uint8Array;
  /** Authenticated, but not encrypted. Decryption needs the same text. */
  readonly context?: string;
}

export function encrypt(key: Uint8Array, plain: Uint8Array, { nonce, context }: Encryption = {}): Buffer {
  const used = nonce ?? randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, used, { authTagLength: TAG_BYTES });
  if (context !== undefined) cipher.setAAD(Buffer.from(context));
  return Buffer.concat([used, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if the key or the context is another one, or if the data was changed. */
export function decrypt(key: Uint8Array, data: Uint8Array, { context }: Pick<Encryption, "context"> = {}): Buffer {
  const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  if (context !== undefined) decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
