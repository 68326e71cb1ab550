import { StopError } from "./families.js";

/** The key that encrypted a payload is not among the keys of this process. */
export class EncryptionKeyMissingError extends StopError {
  constructor(readonly keyId: string) {
    super(
      "ENCRYPTION_KEY_MISSING",
      `A payload is encrypted with key ${keyId}, which this process does not have. Add the key. If it is lost, list it in lostKeys: its payloads then read as encrypted.`,
    );
  }
}

/** The key exists, but does not decrypt the payload. */
export class PayloadUnreadableError extends StopError {
  constructor(
    readonly keyId: string,
    /** The part of the store that contains the payload. */
    readonly place: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "PAYLOAD_UNREADABLE",
      `Key ${keyId} does not decrypt the payload at ${place}. The key has another value than when the payload was written, or the payload was changed. Restore the key or the payload.`,
      options,
    );
  }
}
