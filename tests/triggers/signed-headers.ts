import { createHmac } from "node:crypto";

/** Signs a request as a sender would (Standard Webhooks). */
export function signedHeaders(key: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bytes = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
