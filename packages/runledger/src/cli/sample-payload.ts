/** A payload to start from, made of a signal's schema, so that the command that is offered can be typed as it stands. */
import type { Json, JsonObject } from "@runledger/contracts";
import type { AnySchema } from "../workflow/schema.js";

interface Described {
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
}

/** `{}` where the schema does not tell (standardschema.dev/json-schema is young). */
export function samplePayload(schema: AnySchema | undefined): Json {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as Described;
  try {
    return jsonSchema === undefined ? {} : sample(jsonSchema.input({ target: "draft-2020-12" }));
  } catch {
    return {}; // it cannot be said in JSON Schema
  }
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
