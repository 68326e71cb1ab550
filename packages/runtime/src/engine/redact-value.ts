/** Replaces secrets in the texts, names and numbers of a value. */
import type { Json } from "@runledger/contracts";

type Clean = (text: string) => string;

/** Results by object, so that a value that refers to itself is read once. The check on write refuses it. */
type Known = Map<object, Json>;

/** Returns the same value if nothing was replaced. */
export function redactValue(value: Json, clean: Clean, known: Known = new Map()): Json {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") return redactNumber(value, clean);
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return value; // an entry per byte would exhaust the memory
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, value);
  const result = Array.isArray(value) ? redactArray(value, clean, known) : redactObject(value, clean, known);
  known.set(value, result);
  return result;
}

function redactArray(values: readonly Json[], clean: Clean, known: Known): Json {
  const parts = values.map((part) => redactValue(part, clean, known));
  return parts.some((part, place) => part !== values[place]) ? parts : values;
}

function redactObject(value: object, clean: Clean, known: Known): Json {
  const entries = Object.entries(value) as [string, Json][];
  const parts = entries.map(([key, part]) => [clean(key), redactValue(part, clean, known)] as const);
  const isChanged = parts.some(([key, part], place) => key !== entries[place]![0] || part !== entries[place]![1]);
  return isChanged ? Object.fromEntries(parts) : (value as Json);
}

/** A secret of digits may have been parsed as a number. */
function redactNumber(value: number, clean: Clean): Json {
  const text = String(value);
  const redacted = clean(text);
  return redacted === text ? value : redacted;
}
