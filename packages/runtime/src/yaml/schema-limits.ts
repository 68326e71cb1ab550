/**
 * Refuses JSON Schemas that can take exponential time. A schema validates each input in the process that starts runs. A
 * reference to itself through two branches of `allOf` doubles the work at each level of the input.
 */

/** Parts of the schema after its references are replaced. */
const MAX_PARTS = 5000;
const MAX_DEPTH = 100;
/** Members of `allOf`, `anyOf` and `oneOf`, after references are replaced. */
const MAX_BRANCHES = 200;

const COMBINATORS = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords with a schema for the same value. */
const SAME_VALUE = ["not", "if", "then", "else"] as const;
/** Keywords with a schema for a part of the value. */
const ONE_INSIDE = ["items", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties"] as const;
const MANY_INSIDE = ["properties", "patternProperties", "prefixItems", "dependentSchemas"] as const;
const SCALARS = new Set(["null", "string", "number", "integer", "boolean"]);

type Schema = Readonly<Record<string, unknown>>;

/** The way from the root: a referenced schema, a step into the value, or a place where several schemas read one value. */
type Step = { readonly target: unknown } | "inside" | "branch";

/** Explains why the schema cannot be used; `null` if it can. */
export function schemaProblem(root: Schema): string | null {
  try {
    new SchemaWalk(root).visit(root, [{ target: root }]);
    return null;
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message;
    throw error;
  }
}

class SchemaProblem extends Error {}

class SchemaWalk {
  readonly #root: Schema;
  #parts = 0;
  #branches = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  visit(schema: unknown, way: readonly Step[]): void {
    if (!isObject(schema)) return;
    if (++this.#parts > MAX_PARTS) throw new SchemaProblem(`has more than ${MAX_PARTS} parts with its references`);
    if (way.length > MAX_DEPTH) throw new SchemaProblem(`is nested more than ${MAX_DEPTH} levels deep`);
    this.#visitSame(schema, way);
    const overlaps =
      "patternProperties" in schema || "contains" in schema ? (["branch", "inside"] as const) : ["inside" as const];
    for (const name of ONE_INSIDE) this.visit(schema[name], [...way, ...overlaps]);
    for (const name of MANY_INSIDE)
      for (const part of Object.values(schema[name] ?? {})) this.visit(part, [...way, ...overlaps]);
  }

  /** Visits the schemas that validate the same value. */
  #visitSame(schema: Schema, way: readonly Step[]): void {
    const members = COMBINATORS.flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as unknown[]) : []));
    this.#branches += members.length;
    if (this.#branches > MAX_BRANCHES)
      throw new SchemaProblem(`has more than ${MAX_BRANCHES} branches with its references`);
    const others = SAME_VALUE.filter((name) => name in schema).map((name) => schema[name]);
    const { $ref } = schema;
    const readers = [...members, ...others].filter((member) => !isScalar(member)).length;
    const isShared = readers + ($ref === undefined ? 0 : 1) > 1;
    const next = isShared ? [...way, "branch" as const] : way;
    for (const member of [...members, ...others]) this.visit(member, next);
    if (typeof $ref === "string") this.#follow($ref, next);
  }

  #follow(reference: string, way: readonly Step[]): void {
    const target = this.#resolve(reference);
    const start = way.findLastIndex((step) => typeof step === "object" && step.target === target);
    if (start === -1) return this.visit(target, [...way, { target }]);
    const since = way.slice(start + 1);
    if (!since.includes("inside")) throw new SchemaProblem(`refers to itself at ${reference}`);
    if (since.includes("branch")) throw new SchemaProblem(`refers to itself through several branches at ${reference}`);
  }

  /** Returns `undefined` for a reference that zod refuses. */
  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    const names = reference.split("/").slice(1);
    return names.reduce<unknown>((part, name) => (isObject(part) ? part[unescaped(name)] : undefined), this.#root);
  }
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns `true` if the schema accepts only values without parts. */
function isScalar(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  return "const" in schema || "enum" in schema || SCALARS.has(String(schema["type"]));
}
