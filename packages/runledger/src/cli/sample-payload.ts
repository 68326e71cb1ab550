/** A payload to start from, made of a signal's schema, so that the command that is offered can be typed as it stands. */
import type { Json, JsonObject } from "@runledger/contracts";
import { jsonSchemaOf, type AnySchema } from "../workflow/schema.js";

/** `{}` where the schema does not tell. */
export function samplePayload(schema: AnySchema | undefined): Json {
  const described = jsonSchemaOf(schema);
  return described === null ? {} : sample(described);
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
