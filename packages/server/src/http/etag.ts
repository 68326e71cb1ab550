import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { StateStore } from "@runledger/contracts";
import type { Reply } from "./define-route.js";

/**
 * The view of a run depends only on its head, so the head's seq is a valid version. Returns `null` if gaps below the head may
 * still fill (P10).
 */
export function etagOf({ capabilities }: Pick<StateStore, "capabilities">, ...parts: readonly number[]): string | null {
  return capabilities.contiguous ? `W/"${parts.join("-")}"` : null;
}

/** The headers of a response with this version. */
export function etagHeader(etag: string | null): Readonly<Record<string, string>> {
  return etag === null ? {} : { etag };
}

/** Computes an ETag for a body that has no version number. */
export function etagOfBody(body: unknown): string {
  return `W/"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
}

/** Returns true if the caller already has this version. */
export function matchesEtag(headers: IncomingHttpHeaders, etag: string | null): etag is string {
  if (etag === null) return false;
  const etags = headers["if-none-match"]?.split(",").map((one) => one.trim()) ?? [];
  return etags.includes(etag);
}

export function notModified(etag: string): Reply {
  return { status: 304, headers: { etag } };
}

export const notModifiedResponse = { 304: { description: "Not modified since the version in `If-None-Match`" } };
