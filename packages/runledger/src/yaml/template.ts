/** Data with computed parts in it. A computed part takes the place of one value and never becomes part of a text. */
import type { Json } from "@runledger/contracts";
import { ExpressionError, type Expression, type Scope } from "./cel.js";
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

/** One argument, one segment, one header: numbers are written out, everything else must be text already. */
export function toText(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : "a group of fields";
  throw new ExpressionError(`It gives ${found}, not text.`, 0);
}
