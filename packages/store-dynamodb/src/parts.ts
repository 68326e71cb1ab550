/** Values that may be larger than an item: the first part is in the item itself, the others are items beside it. */
import { absent } from "./conditions.js";
import type { WriteAction } from "./actions.js";
import { number, text, type Item } from "./encoding.js";
import type { Key } from "./table.js";

/** An item holds at most 400 KB with its names and other values. */
export const PART_BYTES = 350_000;

/** Divides a text so that no part is larger than an item may be. Never divides a character. */
export function divide(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  if (bytes.length <= PART_BYTES) return [value];
  const parts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + PART_BYTES, bytes.length);
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    parts.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return parts;
}

export const partKey = ({ pk, sk }: Key, part: number): Key => ({ pk, sk: `${sk}#${part}` });

/** Puts `item` with `value` in its attribute `d`, and the further parts. */
export function putParts(item: Item & Key, value: string, when: "absent" | "any" = "any"): WriteAction[] {
  const condition = when === "absent" ? { when: absent } : {};
  const [first, ...rest] = divide(value);
  const parts = rest.length === 0 ? {} : { parts: rest.length };
  return [
    { kind: "put", item: { ...item, d: first!, ...parts }, ...condition },
    ...rest.map((d, index): WriteAction => ({ kind: "put", item: { ...partKey(item, index + 1), d }, ...condition })),
  ];
}

/** Number of further parts. */
export const partsOf = (item: Item): number => ("parts" in item ? number(item, "parts") : 0);

/** Joins items that a query returned in order: each item with the parts that follow it. */
export function joinParts(items: readonly Item[]): Item[] {
  const whole: Item[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    const rest = items.slice(index + 1, index + 1 + partsOf(item));
    whole.push(rest.length === 0 ? item : { ...item, d: [item, ...rest].map((part) => text(part, "d")).join("") });
    index += rest.length;
  }
  return whole;
}
