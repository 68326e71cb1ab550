/** Generates a payload from a signal's JSON Schema, so that a suggested command is complete. */
import type { Json, JsonObject } from "@runledger/contracts";

/** Returns `{}` if there is no schema. */
export function samplePayload(schema: JsonObject | null): Json {
  return schema === null ? {} : sample(schema);
}

function sample(schema: unknown): Json {
  const { type, properties = {}, required = [], enum: choices } = schema as Partial<ObjectSchema>;
  if (choices?.[0] !== undefined) return choices[0];
  switch (type) {
    case "string":
      return "…";
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return Object.fromEntries(required.map((name) => [name, sample(properties[name])])) satisfies JsonObject;
  }
}

interface ObjectSchema {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly enum: readonly Json[];
}
