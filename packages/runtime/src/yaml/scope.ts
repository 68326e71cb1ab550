import type { Scope } from "./cel.js";

const VISIBLE = ["input", "state", "schedule", "partition", "item", "index", "iteration", "output"];

/** Converts the context of a closure for expressions: data only, `null` for absent values, and lists for forEach outputs. */
export async function toScope(context: Readonly<Record<string, unknown>>): Promise<Scope> {
  const { needs = {} } = context as { needs?: Readonly<Record<string, unknown>> };
  const read = await Promise.all(
    Object.entries(needs).map(async ([name, value]) => [name, await toData(value)] as const),
  );
  const own = VISIBLE.filter((name) => name in context).map((name) => [name, toCelValue(name, context[name])] as const);
  return {
    input: null,
    state: null,
    schedule: null,
    partition: null,
    ...Object.fromEntries(own),
    needs: Object.fromEntries(read),
  };
}

/** Converts `index` and `iteration` to integers, which can index lists. */
function toCelValue(name: string, value: unknown): unknown {
  return name === "index" || name === "iteration" ? BigInt(value as number) : (value ?? null);
}

async function toData(value: unknown): Promise<unknown> {
  if (!isItems(value)) return value ?? null;
  return Promise.all((await value.toArray()).map(toData));
}

function isItems(value: unknown): value is { toArray(): Promise<readonly unknown[]> } {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
