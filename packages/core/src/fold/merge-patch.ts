import { isJsonObject, type Json } from "@runledger/contracts";

/** JSON Merge Patch, RFC 7396: null deletes, objects merge, anything else replaces (D2). */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === "__proto__") continue; // refused on write; a foreign log must not reach a prototype either
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
