/** Generates src/api-types.ts. openapi-typescript needs TypeScript 5, so both are dependencies of this package alone. */
import openapiTypeScript, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const NOTE = "/** Generated from the OpenAPI document by tests/repository/api-document.test.ts. Do not edit. */";

/**
 * Schemas that describe a type of the contracts. The client uses that type itself, so that a run, a step or an event has
 * one type in every package. packages/server/src/runs/contract-types.test.ts checks that the schemas agree.
 */
export const CONTRACT_TYPES: Readonly<Record<string, string>> = {
  AccessKey: "AccessKey",
  ArtifactRef: "ArtifactRef",
  AuditEntry: "StoredAuditEntry",
  Limit: "Limit",
  PendingSignal: "PendingSignal",
  PlanRef: "PlanRef",
  Run: "RunHeader",
  RunCounts: "RunCounts",
  RunError: "RunError",
  RunEvent: "CanonicalEngineEvent",
  RunSummary: "RunSummary",
  Step: "StepRow",
  StepRange: "StepRange",
};
const IMPORT = `import type * as contracts from "@runledger/contracts";`;
/** Types that the client does not use: it writes its paths itself. */
const UNUSED = new Set<string | undefined>(["paths", "webhooks"]);

/** Returns a type for each named schema, and one for the query of each operation that has one. */
export async function generateTypes(document: object): Promise<string> {
  const { paths } = document as { readonly paths: Paths };
  const reduced = { ...document, paths: queriesOnly(paths) } as unknown as OpenAPI3;
  const nodes = await openapiTypeScript(structuredClone(reduced), {
    immutable: true,
    rootTypes: true,
    rootTypesKeepCasing: true,
    rootTypesNoSchemaPrefix: true,
    transform: (_schema, { path }) => contractType(path),
  });
  const used = nodes.filter((node) => !UNUSED.has((node as { readonly name?: { readonly text: string } }).name?.text));
  const schemas = astToString(used)
    .replaceAll(/: (readonly )?unknown\b/g, ": $1contracts.Json") // every value in the API is JSON
    .replaceAll(/^export type (\w+) = components.*;$/gm, reexported);
  return [NOTE, IMPORT, schemas, ...queryTypes(paths)].join("\n");
}

/** Exports the type of the contracts itself, not an alias: a compiler that names an inferred type looks for that type. */
function reexported(alias: string, name: string): string {
  const type = CONTRACT_TYPES[name];
  if (type === undefined) return alias;
  return `export type { ${type === name ? name : `${type} as ${name}`} } from "@runledger/contracts";`;
}

function contractType(path: string | undefined): ts.TypeNode | undefined {
  const name = CONTRACT_TYPES[path?.replace(/^#\/components\/schemas\//, "") ?? ""];
  if (name === undefined) return undefined;
  const { factory } = ts;
  return factory.createTypeReferenceNode(factory.createQualifiedName(factory.createIdentifier("contracts"), name));
}

/** Keeps operations with a query. Bodies are named schemas, and repeating them here would triple the file. */
function queriesOnly(paths: Paths): object {
  return mapValues(paths, (methods) => {
    const withQuery = Object.entries(methods).filter(([, operation]) => hasQuery(operation));
    return mapValues(Object.fromEntries(withQuery), ({ operationId, parameters }) => ({ operationId, parameters }));
  });
}

function queryTypes(paths: Paths): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(hasQuery)
    .map(({ operationId }) => `export type ${capitalized(operationId)}Query = ${queryOf(operationId)};`);
}

function hasQuery({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === "query");
}

const queryOf = (operationId: string): string => `NonNullable<operations["${operationId}"]["parameters"]["query"]>`;

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
