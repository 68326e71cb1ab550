/** A payload to start from, made of a signal's schema, so that the command that is offered can be typed as it stands. */
import type { Json, JsonObject } from "@runledger/contracts";

/** `schema`: JSON Schema; null = nobody tells. */
export function samplePayload(schema: JsonObject | null): Json {
  return schema === null ? {} : sample(schema);
}

function sample(described: unknown): Json {
  const { type, properties = {}, required = [], enum: choices } = described as Partial<ObjectSchema>;
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
