/** Compiles CEL expressions over data. Integers and doubles can be mixed, because JSON has one number type. */
import { Environment } from "@marcbachmann/cel-js";
import type { Json } from "@runledger/contracts";
import { metered } from "./cel-evaluator.js";
import { withMeter } from "./cel-meter.js";
import { toJson } from "./cel-result.js";
import { ExpressionError } from "./expression-error.js";

/** Names that an expression can use besides `input`, `state`, `schedule` and `partition` of the run. */
export interface Visible {
  /** Names in the step's `needs`. */
  readonly needs: readonly string[];
  /** `item`, `index`, `iteration` or `output`, if available. */
  readonly more: readonly string[];
  /** `true` if an expression can use the names in `more` only. */
  readonly isolated?: boolean;
}

export type Wanted = "condition" | "list" | "value";

/** Values of the names that an expression uses. */
export type Scope = Readonly<Record<string, unknown>>;

export type Expression = (scope: Scope) => Json;

/** Limits of the text, so that it is quickly parsed and checked. */
const MAX_LENGTH = 10_000;
/** Messages of the library can quote data. */
const MAX_MESSAGE = 500;
const limits = { maxAstNodes: 2000, maxDepth: 100, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 8 };

const base = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true, limits });
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

const OF_RUN = ["input", "state", "schedule", "partition"];
/** Integers, so that they can index a list. */
const WHOLE = new Set(["index", "iteration"]);

/** Checks the names and the result type of an expression. Throws an ExpressionError. */
export function compileExpression(text: string, visible: Visible, wanted: Wanted): Expression {
  const environment = environmentOf(visible);
  const evaluate = checked(text, environment, visible, wanted);
  return (scope) =>
    withMeter((meter) => {
      const value = attempt(() => evaluate(scope));
      meter.spend(0); // throws if an operator ignored that the limit was reached
      return checkValue(
        attempt(() => toJson(value, meter)),
        wanted,
      );
    });
}

const environments = new Map<string, Environment>();
const MAX_ENVIRONMENTS = 100;

/** Returns an environment with these names. Creating one takes longer than parsing an expression, so the last ones are kept. */
function environmentOf(visible: Visible): Environment {
  const key = JSON.stringify([visible.needs, visible.more, visible.isolated]);
  const environment = environments.get(key) ?? newEnvironment(visible);
  environments.delete(key);
  environments.set(key, environment);
  if (environments.size > MAX_ENVIRONMENTS) environments.delete(environments.keys().next().value!);
  return environment;
}

function newEnvironment({ needs, more, isolated = false }: Visible): Environment {
  const environment = base.clone();
  const schema = Object.fromEntries(needs.map((name) => [name, "dyn"]));
  if (!isolated) environment.registerVariable({ name: "needs", schema });
  for (const name of isolated ? [] : OF_RUN) environment.registerVariable(name, "dyn");
  for (const name of more) environment.registerVariable(name, WHOLE.has(name) ? "int" : "dyn");
  return environment;
}

function checked(text: string, environment: Environment, visible: Visible, wanted: Wanted): (scope: Scope) => unknown {
  if (text.length > MAX_LENGTH)
    throw new ExpressionError(`Expression has ${text.length} characters. The limit is ${MAX_LENGTH}.`, 0);
  const parsed = attempt(() => environment.parse(text));
  const { valid, type, error } = parsed.check();
  if (!valid) throw new ExpressionError(explain(error, visible), error?.range?.start ?? 0);
  checkType(String(type), wanted);
  return metered(environment, parsed);
}

/** Fields of the library's errors. */
interface CelError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly summary?: string | undefined;
  readonly range?: { readonly start: number } | undefined;
}

function explain(error: CelError | undefined, { needs, more, isolated = false }: Visible): string {
  const summary = error?.summary ?? "invalid expression";
  if (error?.code === "no_such_key") return `${summary}. Available: ${listed(needs.map((name) => `needs.${name}`))}.`;
  if (error?.code === "unknown_variable")
    return `${summary}. Available: ${listed([...(isolated ? [] : ["input", "needs", "state", "schedule", "partition"]), ...more])}.`;
  return `${summary}.`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

const WANTED = { condition: "true or false", list: "a list", value: "data" };

function checkType(type: string, wanted: Wanted): void {
  if (type === "dyn" || wanted === "value") return; // known only at run time
  const fits = wanted === "condition" ? type === "bool" : type.startsWith("list");
  if (!fits) throw new ExpressionError(`Expression returns ${type}, not ${WANTED[wanted]}.`, 0);
}

function checkValue(value: Json, wanted: Wanted): Json {
  const fits = { condition: typeof value === "boolean", list: Array.isArray(value), value: true };
  if (fits[wanted]) return value;
  throw new ExpressionError(`Expression returned ${value === null ? "null" : typeof value}, not ${WANTED[wanted]}.`, 0);
}

function attempt<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionError) throw error;
    const { summary, message, range } = error as CelError;
    throw new ExpressionError(`${(summary ?? message).slice(0, MAX_MESSAGE)}.`, range?.start ?? 0);
  }
}
