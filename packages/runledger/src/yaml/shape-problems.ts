/** What does not fit the format, in words that say where and what to do. */
import type { PlanProblem } from "@runledger/contracts";
import type { z } from "zod";
import type { Path, Source } from "./source.js";

/** Where in the file a value stands that was checked by itself, and which step it belongs to. */
export interface Place {
  readonly path: Path;
  readonly step: string;
}

export function shapeProblems(
  source: Source,
  place: Place,
  error: z.ZodError,
  fields: readonly string[],
): PlanProblem[] {
  return error.issues.flatMap((issue) => {
    const path = [...place.path, ...(issue.path as Path)];
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => unknownField(source, place, path, key, fields));
    const at = issue.path.length === 0 ? "" : `${toText(issue.path as Path)} `;
    const { code, message } = explain(issue, valueAt(source.value, path));
    return [{ code, step: place.step, message: at + message, origin: source.origin(path) }];
  });
}

function unknownField(source: Source, place: Place, path: Path, key: string, fields: readonly string[]): PlanProblem {
  const near = fields.find((field) => distance(field, key) <= 2);
  const inner = path.length > place.path.length;
  const hint = near === undefined || inner ? "Remove it." : `Did you mean ${near}?`;
  const list = inner ? "" : ` There are ${fields.join(", ")}.`;
  const message = `has no field ${toText([...path.slice(place.path.length), key])}. ${hint}${list}`;
  return { code: "PLAN_UNKNOWN_FIELD", step: place.step, message, origin: source.originOfKey(path, key) };
}

function explain(issue: z.core.$ZodIssue, found: unknown): Pick<PlanProblem, "code" | "message"> {
  if (found === undefined) return { code: "PLAN_SYNTAX", message: "is missing. Add it." };
  if (issue.code !== "invalid_type") {
    const code = issue.code === "invalid_union" ? "PLAN_SYNTAX" : "PLAN_OPTION_INVALID";
    return { code, message: issue.message };
  }
  const quotes =
    issue.expected === "string" && typeof found !== "object" ? ` Write it in quotes: "${String(found)}".` : "";
  return {
    code: "PLAN_SYNTAX",
    message: `must be ${NAMES[issue.expected] ?? issue.expected}, not ${kindOf(found)}.${quotes}`,
  };
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  array: "a list",
  tuple: "a list",
  object: "a group of fields",
  record: "a group of fields",
  boolean: "true or false",
  number: "a number",
};

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
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

/** Edits between two words, as far as two; more is far away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (b[j] === letter ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
