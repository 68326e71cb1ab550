import { InputError, type JsonObject } from "@runledger/contracts";
import { dropUndefined } from "./drop-undefined.js";

/** Any Standard Schema (standardschema.dev), typed structurally: zod, valibot, arktype and others. */
export interface Schema<In = unknown, Out = In> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}
// oxlint-disable-next-line typescript/no-explicit-any -- a bound that every schema meets
export type AnySchema = Schema<any, any>;
// oxlint-disable-next-line typescript/no-explicit-any
export type SchemaIn<S> = S extends Schema<infer I, any> ? I : never;
// oxlint-disable-next-line typescript/no-explicit-any
export type SchemaOut<S> = S extends Schema<any, infer O> ? O : never;

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** Returns the parsed value, or throws an error that names the field. */
export async function parseWith(schema: AnySchema | undefined, field: string, value: unknown): Promise<unknown> {
  if (schema === undefined) return dropUndefined(value);
  const result = (await validate(schema, field, value)) as { issues?: readonly Issue[]; value?: unknown };
  const [issue] = result.issues ?? [];
  if (issue === undefined) return dropUndefined(result.value);
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  throw new InputError("SCHEMA_MISMATCH", [field, ...path].join("."), issue.message);
}

async function validate(schema: AnySchema, field: string, value: unknown): Promise<unknown> {
  try {
    return await schema["~standard"].validate(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is too small for the value
    throw new InputError("SCHEMA_MISMATCH", field, "is nested too deeply. Nest it less.");
  }
}

interface Described {
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
}

const rendered = new WeakMap<object, JsonObject | null>();

/** The schema as JSON Schema, rendered once; `null` if the library does not provide it (standardschema.dev/json-schema is new). */
export function jsonSchemaOf(schema: AnySchema | undefined): JsonObject | null {
  if (schema === undefined) return null;
  if (!rendered.has(schema)) rendered.set(schema, render(schema));
  return rendered.get(schema)!;
}

function render(schema: AnySchema): JsonObject | null {
  const { jsonSchema } = schema["~standard"] as Described;
  try {
    return jsonSchema === undefined ? null : (jsonSchema.input({ target: "draft-2020-12" }) as JsonObject);
  } catch {
    return null; // not expressible in JSON Schema
  }
}
