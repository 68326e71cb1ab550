/** The costs of operators and functions, charged before they run. They bound time and memory, even for data that shares parts. */
import type { Meter } from "./cel-meter.js";

const CHARACTERS = 16;
const CALL = 5;
/** Listing the keys of a map is slower than reading a list. */
const KEY = 4;
/** Conversion to another time zone is slow. */
const TIME_ZONE = 1000;

/** Charges what an operator reads and produces. */
export function chargeOperator(meter: Meter, operator: string, left: unknown, right: unknown): void {
  meter.spend(1 + sizeOf(left) + sizeOf(right));
  if (operator === "==" || operator === "!=") weigh(meter, left);
  if (operator === "in" && Array.isArray(right)) meter.spend(right.length * weigh(meter, left));
}

/** Charges a call. `values` starts with the receiver of a method. */
export function chargeCall(meter: Meter, name: string, values: readonly unknown[]): void {
  const isConstant = name === "size" && Array.isArray(values[0]);
  meter.spend(isConstant ? CALL : values.reduce<number>((sum, value) => sum + sizeOf(value), CALL));
  const extra = EXTRA[name] ?? (name.startsWith("get") && values.length > 1 ? () => TIME_ZONE : undefined);
  if (extra !== undefined) meter.spend(extra(lengthOf(values[0]), lengthOf(values[1]), values[0]));
}

type Extra = (first: number, second: number, receiver: unknown) => number;

/** A search compares at every position. */
const search: Extra = (text, needle) => (text * needle) / CHARACTERS;

/** Functions that take more than linear time, or produce many values. */
const EXTRA: Readonly<Record<string, Extra>> = {
  contains: search,
  indexOf: search,
  lastIndexOf: search,
  split: (text, separator) => text / 2 + search(text, separator, null),
  join: (count, separator, parts) =>
    (count * separator + (parts as readonly unknown[]).reduce<number>((sum, part) => sum + lengthOf(part), 0)) /
    CHARACTERS,
  json: (bytes) => bytes,
  duration: (text) => text ** 3 / 100, // its pattern backtracks
};

/** Visits every part, as a comparison does. Returns the cost. */
function weigh(meter: Meter, value: unknown): number {
  const own = 1 + sizeOf(value);
  meter.spend(own);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return own;
  return Object.values(value).reduce<number>((sum, part) => sum + weigh(meter, part), own);
}

/** The cost of reading a value without its parts. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length / CHARACTERS;
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length * KEY : 0;
}

function lengthOf(value: unknown): number {
  return typeof value === "string" || value instanceof Uint8Array || Array.isArray(value) ? value.length : 0;
}
