import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "./define-route.js";

/** The view of a run depends only on its head, so the head's seq is a valid version. */
export function etagOf(...parts: readonly (string | number)[]): string {
  return `W/"${parts.join("-")}"`;
}

/** Computes an ETag for a body that has no version number. */
export function etagOfBody(body: unknown): string {
  return `W/"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
}

/** Returns true if the caller already has this version. */
export function matchesEtag(headers: IncomingHttpHeaders, etag: string): boolean {
  const etags = headers["if-none-match"]?.split(",").map((one) => one.trim()) ?? [];
  return etags.includes(etag);
}

export function notModified(etag: string): Reply {
  return { status: 304, headers: { etag } };
}

export const notModifiedResponse = { 304: { description: "Not modified since the version in `If-None-Match`" } };
