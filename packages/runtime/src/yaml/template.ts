/** Data with computed parts. A computed part replaces a whole value; it is never inserted into text. */
import type { Json } from "@runledger/contracts";
import type { Expression, Scope } from "./cel.js";
import { ExpressionError } from "./expression-error.js";
import type { Path } from "./source.js";

export type Template = (scope: Scope) => Json;
export type Compile = (text: string, path: Path) => Expression;

export function compileTemplate(value: unknown, path: Path, compile: Compile): Template {
  if (Array.isArray(value)) {
    const parts = value.map((part, index) => compileTemplate(part, [...path, index], compile));
    return (scope) => parts.map((part) => part(scope));
  }
  if (typeof value !== "object" || value === null) return () => value as Json;
  const entries = Object.entries(value);
  const [key, only] = entries.length === 1 ? entries[0]! : [];
  if (key === "literal") return () => only as Json;
  if (key === "cel") return compile(String(only), [...path, "cel"]);
  const fields = entries.map(([name, part]) => [name, compileTemplate(part, [...path, name], compile)] as const);
  return (scope) => Object.fromEntries(fields.map(([name, part]) => [name, part(scope)]));
}

/** Converts an argument, a segment or a header to text. Only strings, numbers and booleans are allowed. */
export function toText(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : "an object";
  throw new ExpressionError(`Expression returned ${found}, not text.`, 0);
}
