/** Writes of single items, alone or as parts of a transaction. */
import { Expressions, type Condition } from "./conditions.js";
import { toWire, type Item, type Scalar } from "./encoding.js";
import type { Key } from "./table.js";

export type WriteAction =
  | { readonly kind: "put"; readonly item: Item & Key; readonly when?: Condition }
  | {
      readonly kind: "update";
      readonly key: Key;
      /** `null` removes the attribute. */
      readonly set?: Item;
      readonly add?: Readonly<Record<string, number>>;
      readonly when?: Condition;
    }
  | { readonly kind: "delete"; readonly key: Key; readonly when?: Condition }
  | { readonly kind: "check"; readonly key: Key; readonly when: Condition };

const NAMES = { put: "Put", update: "Update", delete: "Delete", check: "ConditionCheck" } as const;

/** If a condition fails, the cancellation reason has the item, so that no further read is needed. */
const WITH_OLD = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };

function keyOfAction(action: WriteAction): Key {
  const { pk, sk } = action.kind === "put" ? action.item : action.key;
  return { pk, sk };
}

/** One entry of `TransactItems`. */
export function toTransactItem(table: string, action: WriteAction): object {
  return { [NAMES[action.kind]]: toRequest(table, action) };
}

function toRequest(TableName: string, action: WriteAction): object {
  const expressions = new Expressions();
  const when =
    action.when === undefined ? {} : { ConditionExpression: expressions.condition(action.when), ...WITH_OLD };
  if (action.kind === "put") return { TableName, Item: toWire(action.item), ...when, ...expressions.parts() };
  const update = action.kind === "update" ? updateOf(action, expressions) : {};
  return { TableName, Key: toWire({ ...keyOfAction(action) }), ...when, ...update, ...expressions.parts() };
}

function updateOf(action: WriteAction & { kind: "update" }, expressions: Expressions): object {
  const assigned = Object.entries(action.set ?? {}).filter(
    (entry): entry is [string, Exclude<Scalar, null>] => entry[1] !== null,
  );
  const removed = Object.entries(action.set ?? {}).filter(([, value]) => value === null);
  const sets = assigned.map(([name, value]) => `${expressions.name(name)} = ${expressions.value(value)}`);
  const adds = Object.entries(action.add ?? {}).map(
    ([name, by]) => `${expressions.name(name)} ${expressions.value(by)}`,
  );
  const clauses = [
    sets.length === 0 ? "" : `SET ${sets.join(", ")}`,
    removed.length === 0 ? "" : `REMOVE ${removed.map(([name]) => expressions.name(name)).join(", ")}`,
    adds.length === 0 ? "" : `ADD ${adds.join(", ")}`,
  ];
  return { UpdateExpression: clauses.filter((clause) => clause !== "").join(" ") };
}
