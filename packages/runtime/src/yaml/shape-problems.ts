/** Turns validation errors into problems with a position and a remedy. */
import type { PlanProblem } from "@runledger/contracts";
import type { z } from "zod";
import { nearest } from "./nearest.js";
import type { Path, Source } from "./source.js";

/** Position of the checked value in the file, and its step. */
export interface Place {
  readonly path: Path;
  readonly step: string;
}

/** Unknown fields that are reported for one object. */
const MAX_UNKNOWN = 20;

export function shapeProblems(
  source: Source,
  place: Place,
  error: z.ZodError,
  fields: readonly string[],
): PlanProblem[] {
  return onePerPlace(error.issues).flatMap((issue) => {
    const path = [...place.path, ...(issue.path as Path)];
    if (issue.code === "unrecognized_keys")
      return issue.keys.slice(0, MAX_UNKNOWN).map((key) => unknownField(source, place, path, key, fields));
    const at = issue.path.length === 0 ? "" : `${toText(issue.path as Path)} `;
    const { code, message } = explain(issue, valueAt(source.value, path));
    return [{ code, step: place.step, message: at + message, origin: source.origin(path) }];
  });
}

/** Keeps the first issue of each place. A value of the wrong type may also be too short, which adds nothing. */
function onePerPlace(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter(({ code, path }) => {
    const key = JSON.stringify([code === "unrecognized_keys", path]);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

function unknownField(source: Source, place: Place, path: Path, key: string, fields: readonly string[]): PlanProblem {
  const near = nearest(key, fields);
  const inner = path.length > place.path.length;
  const hint = near === undefined || inner ? "Remove it." : `Did you mean ${near}?`;
  const list = inner ? "" : ` Allowed fields: ${fields.join(", ")}.`;
  const message = `unknown field ${toText([...path.slice(place.path.length), key])}. ${hint}${list}`;
  return { code: "PLAN_UNKNOWN_FIELD", step: place.step, message, origin: source.originOfKey(path, key) };
}

function explain(issue: z.core.$ZodIssue, found: unknown): Pick<PlanProblem, "code" | "message"> {
  if (found === undefined) return { code: "PLAN_SYNTAX", message: "is missing. Add it." };
  if (issue.code !== "invalid_type") {
    const code = issue.code === "invalid_union" ? "PLAN_SYNTAX" : "PLAN_OPTION_INVALID";
    return { code, message: issue.message };
  }
  const quotes = issue.expected === "string" && isPlain(found) ? ` Quote it: "${found}".` : "";
  const message = `must be ${NAMES[issue.expected] ?? issue.expected}, not ${kindOf(found)}.${quotes}`;
  return { code: "PLAN_SYNTAX", message };
}

function isPlain(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

const NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  boolean: "true or false",
  number: "a number",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return NAMES[typeof value] ?? typeof value;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown> | undefined)?.[key], value);
}

function toText(path: Path): string {
  return path.reduce<string>((sum, key) => {
    if (typeof key === "number") return `${sum}[${key}]`;
    return sum === "" ? key : `${sum}.${key}`;
  }, "");
}
