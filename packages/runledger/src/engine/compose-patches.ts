import type { Json, JsonObject } from "@runledger/contracts";

/** One merge patch (RFC 7396) for two: what the second says of a property holds, what it does not mention stays. */
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
