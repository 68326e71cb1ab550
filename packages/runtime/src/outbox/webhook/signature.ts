/** Signs requests as Standard Webhooks describes it, so that receivers can use its libraries. */
import { createHmac } from "node:crypto";

export interface Signed {
  /** The id of the message. It is the same in every attempt. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string | Buffer;
}

/** One signature per key, so that a receiver accepts the old and the new key during a rotation. */
export function signatureHeaders(signed: Signed, keys: readonly string[]): Record<string, string> {
  const { id, timestamp } = signed;
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp) };
  if (keys.length === 0) return headers;
  return { ...headers, "webhook-signature": keys.map((key) => signatureOf(signed, key)).join(" ") };
}

export function signatureOf({ id, timestamp, body }: Signed, key: string): string {
  const hmac = createHmac("sha256", keyBytes(key)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest("base64")}`;
}

const PREFIX = "whsec_";

/** A key of Standard Webhooks is `whsec_` and base64. Any other text is used as it is. */
function keyBytes(key: string): Buffer {
  return key.startsWith(PREFIX) ? Buffer.from(key.slice(PREFIX.length), "base64") : Buffer.from(key, "utf8");
}
