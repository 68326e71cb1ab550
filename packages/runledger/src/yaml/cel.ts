/** Expressions: CEL, over data only. One number type, as in JSON: whole numbers and others may be mixed. */
import { Environment } from "@marcbachmann/cel-js";
import type { Json } from "@runledger/contracts";
import { bounded } from "./bounded.js";

/** What an expression sees besides `input`, `state` and `schedule`. */
export interface Visible {
  /** Names of what the step reads. */
  readonly needs: readonly string[];
  /** `item`, `index`, `iteration` or `output`, where there are such. */
  readonly more: readonly string[];
}

export type Wanted = "condition" | "list" | "value";

/** What an expression is evaluated over. */
export type Scope = Readonly<Record<string, unknown>>;

export class ExpressionError extends Error {
  constructor(
    message: string,
    /** Where in the expression. */
    readonly offset: number,
  ) {
    super(message);
    this.name = "ExpressionError";
  }
}

export type Expression = (scope: Scope) => Json;

const base = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true });
const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};
for (const [operator, apply] of Object.entries(arithmetic)) {
  const mixed = (a: number | bigint, b: number | bigint): number => apply(Number(a), Number(b));
  base
    .registerOperator(`double ${operator} int: double`, mixed)
    .registerOperator(`int ${operator} double: double`, mixed);
}
base.registerOperator("double % double: double", arithmetic["%"]!);

/** Counted, hence usable as an index into a list. */
const WHOLE = new Set(["index", "iteration"]);

/** Checks an expression against what it may see and what is wanted of it. Throws an ExpressionError. */
export function compileExpression(text: string, visible: Visible, wanted: Wanted): Expression {
  const environment = base.clone().registerVariable("input", "dyn").registerVariable("state", "dyn");
  environment.registerVariable("schedule", "dyn");
  const needs = Object.fromEntries(visible.needs.map((name) => [name, "dyn"]));
  environment.registerVariable({ name: "needs", schema: needs });
  for (const name of visible.more) environment.registerVariable(name, WHOLE.has(name) ? "int" : "dyn");
  const { valid, type, error } = environment.check(text);
  if (!valid) throw new ExpressionError(explain(error, visible), error?.range?.start ?? 0);
  checkType(String(type), wanted);
  const evaluate = environment.parse(text) as (scope: Scope) => unknown;
  const run = isShort(text) ? evaluate : inTime(evaluate);
  return (scope) => checkValue(toJson(attempt(() => run(scope))), wanted);
}

/** Functions that take no longer than their arguments are long. */
const QUICK = new Set(["size", "has", "string", "int", "double", "bool", "timestamp", "duration", "type", "orValue"]);
const SHORT = 200;

/** Nothing in it loops, and there is not enough of it to make much out of little. */
function isShort(text: string): boolean {
  return text.length <= SHORT && [...text.matchAll(/(\w+)\s*\(/g)].every(([, name]) => QUICK.has(name!));
}

function inTime(evaluate: (scope: Scope) => unknown): (scope: Scope) => unknown {
  return (scope) => {
    const done = bounded(() => evaluate(scope));
    if (done === null) throw new ExpressionError("It takes longer than a second", 0);
    return done.value;
  };
}

/** What the library's errors have in common. */
interface CelError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly summary?: string | undefined;
  readonly range?: { readonly start: number } | undefined;
}

function explain(error: CelError | undefined, { needs, more }: Visible): string {
  const summary = error?.summary ?? "it cannot be read";
  if (error?.code === "no_such_key")
    return `${summary}. The step reads ${listed(needs.map((name) => `needs.${name}`))}.`;
  if (error?.code === "unknown_variable")
    return `${summary}. There are ${listed(["input", "needs", "state", "schedule", ...more])}.`;
  return `${summary}.`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

const WANTED = { condition: "true or false", list: "a list", value: "data" };

function checkType(type: string, wanted: Wanted): void {
  if (type === "dyn" || wanted === "value") return; // known when it is evaluated
  const fits = wanted === "condition" ? type === "bool" : type.startsWith("list");
  if (!fits) throw new ExpressionError(`It gives ${type}, not ${WANTED[wanted]}.`, 0);
}

function checkValue(value: Json, wanted: Wanted): Json {
  const fits = { condition: typeof value === "boolean", list: Array.isArray(value), value: true };
  if (fits[wanted]) return value;
  throw new ExpressionError(`It gives ${value === null ? "null" : typeof value}, not ${WANTED[wanted]}.`, 0);
}

function attempt<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    const { summary, message, range } = error as CelError;
    throw new ExpressionError(`${summary ?? message}.`, range?.start ?? 0);
  }
}

/** What comes out is recorded, hence JSON: whole numbers that fit, times as ISO 8601. */
function toJson(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return toNumber(value);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new ExpressionError("It gives no data.", 0);
  return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, toJson(part)]));
}

function toNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new ExpressionError(`It gives ${value}, which is too large.`, 0);
  return number;
}
