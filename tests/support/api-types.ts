/** TypeScript for the named schemas of an OpenAPI document, as far as our own documents go. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: Schema;
}
export interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly parameters: readonly Parameter[] }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** An interface per named schema, and one per operation that takes a query. */
export function apiTypes({ paths, components }: OpenApi): string {
  const named = Object.entries(components.schemas).map(([name, schema]) => declaration(name, schema));
  const queries = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters }) => queryOf(operationId, parameters));
  const note = "/** Made from the OpenAPI document by tests/repository/api-document.test.ts; not written by hand. */\n";
  return [note, 'import type { Json } from "@runledger/contracts";\n', ...named, ...queries].join("\n");
}

function queryOf(operationId: string, parameters: readonly Parameter[]): string[] {
  const query = parameters.filter((parameter) => parameter.in === "query");
  if (query.length === 0) return [];
  const name = `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`;
  const members = query.map((part) => member(part.name, { ...part.schema, ...described(part) }, part.required));
  return [`export interface ${name} {\n${members.join("\n")}\n}\n`];
}

function described({ description }: Parameter): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
  if (schema.properties === undefined) return `${comment}export type ${name} = ${typeOf(schema)};\n`;
  return `${comment}export interface ${name} ${typeOf(schema)}\n`;
}

function member(name: string, schema: Schema, required: boolean): string {
  const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
  return `${comment}readonly ${JSON.stringify(name)}${required ? "" : "?"}: ${typeOf(schema)};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return union.map(typeOf).join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === "object") return objectType(schema);
  return PRIMITIVES[schema.type as string] ?? "Json";
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "Json";
    return `{ readonly [key: string]: ${value} }`;
  }
  const members = Object.entries(properties).map(([name, part]) => member(name, part, required.includes(name)));
  return `{\n${members.join("\n")}\n}`;
}
