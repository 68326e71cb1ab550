import type { Json, JsonObject } from "@runledger/contracts";

/** Composes two merge patches (RFC 7396) into one; the second wins per property. */
export function composePatches(first: JsonObject, second: JsonObject): JsonObject {
  const composed: Record<string, Json> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = first[name];
    composed[name] = isObject(before) && isObject(value) ? composePatches(before, value) : value;
  }
  return composed;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
