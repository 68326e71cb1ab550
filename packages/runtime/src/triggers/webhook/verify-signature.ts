/** Verifies requests that are signed as Standard Webhooks describes it. */
import { timingSafeEqual } from "node:crypto";
import { signatureOf, type Signed } from "../../outbox/webhook/signature.js";

export interface SignedHeaders {
  readonly id: string;
  readonly timestamp: number;
  /** Signatures that are separated by spaces. */
  readonly signatures: string;
}

const MAX_SIGNATURES = 20;

/** Returns `null` if a header is missing or malformed. */
export function signedHeaders(headers: Readonly<Record<string, string>>): SignedHeaders | null {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const signatures = headers["webhook-signature"] ?? "";
  if (id === "" || signatures === "" || !/^\d{1,12}$/.test(timestamp)) return null;
  return { id, timestamp: Number(timestamp), signatures };
}

/** A sender may sign with several keys, and a trigger may accept several, so that keys can be rotated. */
export function isSigned(headers: SignedHeaders, body: Buffer, keys: readonly string[]): boolean {
  const { id, timestamp, signatures } = headers;
  const given = signatures.split(" ").slice(0, MAX_SIGNATURES);
  const signed: Signed = { id, timestamp, body };
  const expected = keys.map((key) => signatureOf(signed, key));
  return given.some((one) => expected.some((other) => isEqual(one, other)));
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
