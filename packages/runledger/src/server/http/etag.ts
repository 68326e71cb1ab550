import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "./define-route.js";

/** What is shown of a run depends on its head alone, so that the head is its version. */
export function etagOf(...parts: readonly (string | number)[]): string {
  return `W/"${parts.join("-")}"`;
}

/** The caller has exactly this. */
export function isKnown(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = headers["if-none-match"]?.split(",").map((one) => one.trim()) ?? [];
  return known.includes(etag);
}

export function notModified(etag: string): Reply {
  return { status: 304, headers: { etag } };
}

/** Of what has no version of its own. */
export function etagOfBody(body: unknown): string {
  return `W/"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
}
