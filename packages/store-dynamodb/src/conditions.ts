/** Conditions on items, and their text in DynamoDB's language. */
import type { AttributeValue } from "./driver.js";
import { toAttribute, type Scalar } from "./encoding.js";

export type Condition =
  | { readonly op: "absent" | "present"; readonly name: string }
  | { readonly op: "=" | "<>" | "<" | "<=" | ">" | ">="; readonly name: string; readonly value: Exclude<Scalar, null> }
  | { readonly op: "all" | "any"; readonly of: readonly Condition[] };

/** The item does not exist. */
export const absent: Condition = { op: "absent", name: "pk" };
/** The item exists. */
export const present: Condition = { op: "present", name: "pk" };

export function compare(
  name: string,
  op: "=" | "<>" | "<" | "<=" | ">" | ">=",
  value: Exclude<Scalar, null>,
): Condition {
  return { op, name, value };
}

export const all = (...of: readonly Condition[]): Condition => ({ op: "all", of });
export const any = (...of: readonly Condition[]): Condition => ({ op: "any", of });

/** The item exists and has these values. `null` means that the attribute is absent. */
export function equals(values: Readonly<Record<string, Scalar>>): Condition {
  const each = Object.entries(values).map(([name, value]): Condition =>
    value === null ? { op: "absent", name } : { op: "=", name, value },
  );
  return all(present, ...each);
}

/** Collects the names and values of the expressions of one request. */
export class Expressions {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, AttributeValue> = {};
  #count = 0;

  name(name: string): string {
    const known = this.#names.get(name) ?? `#n${this.#names.size}`;
    this.#names.set(name, known);
    return known;
  }

  value(value: Exclude<Scalar, null>): string {
    const name = `:v${this.#count++}`;
    this.#values[name] = toAttribute(value);
    return name;
  }

  condition(condition: Condition): string {
    if ("of" in condition) {
      const each = condition.of.map((one) => this.condition(one));
      return `(${each.join(condition.op === "all" ? " AND " : " OR ")})`;
    }
    if (!("value" in condition))
      return `${condition.op === "absent" ? "attribute_not_exists" : "attribute_exists"}(${this.name(condition.name)})`;
    return `${this.name(condition.name)} ${condition.op} ${this.value(condition.value)}`;
  }

  parts(): object {
    const names = Object.fromEntries([...this.#names].map(([name, short]) => [short, name]));
    return {
      ...(this.#names.size === 0 ? {} : { ExpressionAttributeNames: names }),
      ...(this.#count === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}
