/**
 * Encrypts payloads with AES-256-GCM before they reach the cluster. The format is the one of Temporal's encryption samples,
 * so that their codec servers can decrypt it: nonce, ciphertext and tag of the encoded payload.
 */
import type { Payload, PayloadCodec } from "@temporalio/common";
import { decrypt, encrypt } from "@runledger/runtime/encryption/aes-gcm";
import type { PayloadKeys } from "@runledger/runtime/encryption/payload-keys";
import { decodePayload, encodePayload } from "./payload-bytes.js";

const ENCODING = "binary/encrypted";

export class EncryptionCodec implements PayloadCodec {
  readonly #keys: PayloadKeys;

  constructor(keys: PayloadKeys) {
    this.#keys = keys;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.#encrypt(payload));
  }

  /** Payloads that were written before encryption was configured are returned unchanged. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (textOf(payload, "encoding") === ENCODING ? this.#decrypt(payload) : payload));
  }

  #encrypt(payload: Payload): Payload {
    const { current, keys } = this.#keys;
    const data = encrypt(keys.get(current)!, encodePayload(payload));
    return { metadata: { encoding: Buffer.from(ENCODING), "encryption-key-id": Buffer.from(current) }, data };
  }

  #decrypt(payload: Payload): Payload {
    const id = textOf(payload, "encryption-key-id");
    const key = this.#keys.keys.get(id);
    if (key === undefined)
      throw new Error(
        `A payload is encrypted with key ${id}, which this worker does not have. Add it to the payload keys.`,
      );
    return decodePayload(decrypt(key, payload.data!));
  }
}

function textOf({ metadata }: Payload, name: string): string {
  const value = metadata?.[name];
  return value ? Buffer.from(value).toString() : "";
}
