import { createHash } from "node:crypto";
import type { Json } from "@runledger/contracts";

/** Digest of a JSON payload, independent of key order. The history checker computes the same. */
export function digestOf(payload: Json): string {
  return createHash("sha256").update(canonical(payload)).digest("base64url");
}

function canonical(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join()}]`;
  const object = value as Readonly<Record<string, Json>>;
  const names = Object.keys(object).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name]!)}`).join()}}`;
}
