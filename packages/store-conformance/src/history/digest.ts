import { createHash } from "node:crypto";
import type { Json } from "@runledger/contracts";

/** Equal for payloads that are equal as JSON, regardless of the order of keys. */
export function digestOf(payload: Json): string {
  return createHash("sha256").update(canonical(payload)).digest("base64url");
}

function canonical(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join()}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name]!)}`).join()}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
