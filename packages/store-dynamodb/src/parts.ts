/**
 * Values that may be larger than an item: the first part is in the item itself, the others are items beside it. A query is not
 * one moment for all items, so parts of one value carry the same mark, and a reader that finds others reads again.
 */
import { randomUUID } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { RetryError } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { number, text, type Item } from "./encoding.js";
import { queryAll, type Range } from "./items.js";
import type { Key } from "./table.js";

/** An item holds at most 400 KB with its names and other values. */
const PART_BYTES = 350_000;

/** Marks a compressed value. No JSON text starts like this. */
const COMPRESSED = "gz:";

/** Divides a text so that no part is larger than an item may be. A large one is compressed first. */
function divide(value: string): readonly string[] {
  if (value.length * 3 <= PART_BYTES || Buffer.byteLength(value) <= PART_BYTES) return [value];
  const bytes = Buffer.from(COMPRESSED + gzipSync(value, { level: 1 }).toString("base64"));
  const parts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(start + PART_BYTES, bytes.length);
    parts.push(bytes.toString("ascii", start, end));
    start = end;
  }
  return parts;
}

const partKey = ({ pk, sk }: Key, part: number): Key => ({ pk, sk: `${sk}#${part}` });

type Put = WriteAction & { readonly kind: "put" };

/** Puts `item` with `value` in its attribute `d`, and the further parts. */
export function putParts(item: Item & Key, value: string): Put[] {
  const [first, ...rest] = divide(value);
  if (rest.length === 0) return [{ kind: "put", item: { ...item, d: first! } }];
  const mark = randomUUID().slice(0, 8);
  const further = rest.map((d, index): Put => ({
    kind: "put",
    item: { ...partKey(item, index + 1), d, partOf: mark },
  }));
  return [{ kind: "put", item: { ...item, d: first!, parts: rest.length, partMark: mark } }, ...further];
}

/** The keys of an item and its parts. */
export function keysOfParts(item: Item): Key[] {
  const key = { pk: text(item, "pk"), sk: text(item, "sk") };
  return [key, ...Array.from({ length: partsOf(item) }, (_, index) => partKey(key, index + 1))];
}

const partsOf = (item: Item): number => ("parts" in item ? number(item, "parts") : 0);

/** Joins items that a query returned in order: each item with its parts. `null` if a part is missing. */
export function joinParts(items: readonly Item[]): Item[] | null {
  const whole: Item[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if ("partOf" in item) continue; // left from a replaced value
    const rest = items.slice(index + 1, index + 1 + partsOf(item)).filter(({ partOf }) => partOf === item["partMark"]);
    if (rest.length < partsOf(item)) return null;
    whole.push({ ...item, d: restored([item, ...rest].map((part) => text(part, "d")).join("")) });
  }
  return whole;
}

function restored(value: string): string {
  if (!value.startsWith(COMPRESSED)) return value;
  return gunzipSync(Buffer.from(value.slice(COMPRESSED.length), "base64")).toString();
}

const TRIES = 20;

/** Queries items that may have parts. */
export async function queryWhole(client: DynamoClient, range: Omit<Range, "limit">): Promise<Item[]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const whole = joinParts(await queryAll(client, range));
    if (whole !== null) return whole;
  }
  throw new RetryError("STORE_BUSY", "A large value is written faster than it can be read. Try again.");
}
