import type { Json } from "@runledger/contracts";
import type { Meter } from "./cel-meter.js";
import { ExpressionError } from "./expression-error.js";

/** Counted for every value, because an empty list takes memory, too. */
const VALUE = 8;

/** Converts a result to JSON, because it is recorded: safe integers, times as ISO 8601. A part that is shared counts each time. */
export function toJson(value: unknown, meter: Meter): Json {
  meter.addToResult(typeof value === "string" ? value.length + VALUE : VALUE);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return toNumber(value);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((part) => toJson(part, meter));
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new ExpressionError("Expression returned a value that is not JSON.", 0);
  const entries = Object.entries(value as object).map(([key, part]) => {
    meter.addToResult(key.length);
    return [key, toJson(part, meter)] as const;
  });
  return Object.fromEntries(entries);
}

function toNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new ExpressionError(`Expression returned ${value}, which is too large for a number.`, 0);
  return number;
}
