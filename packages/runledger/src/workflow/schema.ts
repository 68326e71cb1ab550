import { InputError, type JsonObject } from "@runledger/contracts";

/** Any Standard Schema (standardschema.dev), structurally: zod, valibot, arktype and others are one. */
export interface Schema<In = unknown, Out = In> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}
// oxlint-disable-next-line typescript/no-explicit-any -- a bound that every schema meets, whatever it parses
export type AnySchema = Schema<any, any>;
// oxlint-disable-next-line typescript/no-explicit-any
export type SchemaIn<S> = S extends Schema<infer I, any> ? I : never;
// oxlint-disable-next-line typescript/no-explicit-any
export type SchemaOut<S> = S extends Schema<any, infer O> ? O : never;

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** The parsed value, or an error that names the field. */
export async function parseWith(schema: AnySchema | undefined, field: string, value: unknown): Promise<unknown> {
  if (schema === undefined) return value;
  const result = (await schema["~standard"].validate(value)) as { issues?: readonly Issue[]; value?: unknown };
  const [issue] = result.issues ?? [];
  if (issue === undefined) return result.value;
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  throw new InputError("SCHEMA_MISMATCH", [field, ...path].join("."), issue.message);
}

interface Described {
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
}

/** What it takes, as JSON Schema; null where it does not tell (standardschema.dev/json-schema is young). */
export function jsonSchemaOf(schema: AnySchema | undefined): JsonObject | null {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as Described;
  try {
    return jsonSchema === undefined ? null : (jsonSchema.input({ target: "draft-2020-12" }) as JsonObject);
  } catch {
    return null; // it cannot be said in JSON Schema
  }
}
