/** Items as flat records of scalars. Anything with structure is JSON text in one attribute. `null` is an absent attribute. */
import type { AttributeValue, WireItem } from "./driver.js";

export type Scalar = string | number | boolean | Uint8Array | null;
export type Item = Readonly<Record<string, Scalar>>;

export function toAttribute(value: Exclude<Scalar, null>): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  return { B: value };
}

export function toWire(item: Item): WireItem {
  const entries = Object.entries(item).flatMap(([name, value]) => (value === null ? [] : [[name, toAttribute(value)]]));
  return Object.fromEntries(entries) as WireItem;
}

export function fromWire(wire: WireItem): Item {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [name, fromAttribute(value)]));
}

function fromAttribute(value: AttributeValue): Scalar {
  if ("S" in value) return value["S"] as string;
  if ("N" in value) return Number(value["N"]);
  if ("BOOL" in value) return value["BOOL"] as boolean;
  if ("B" in value) return value["B"] as Uint8Array;
  return null;
}

/** Reads attributes that must be there, in their type. */
export const text = (item: Item, name: string): string => item[name] as string;
export const number = (item: Item, name: string): number => item[name] as number;
export const textOrNull = (item: Item, name: string): string | null => (item[name] ?? null) as string | null;
export const numberOrNull = (item: Item, name: string): number | null => (item[name] ?? null) as number | null;
export const json = (item: Item, name: string): unknown => JSON.parse(text(item, name)) as unknown;
