/**
 * Meters the evaluator of the CEL library. The library evaluates every node of an expression through `run` of one object,
 * so no syntax avoids it. Patterns are matched by RE2, as CEL requires: its time is linear.
 */
import type { Environment } from "@marcbachmann/cel-js";
import { chargeCall, chargeOperator, sizeOf } from "./cel-costs.js";
import { currentMeter } from "./cel-meter.js";
import { ExpressionError } from "./expression-error.js";
import { toLinear } from "./linear-patterns.js";

/** A node of a parsed and checked expression. The library sets the other fields when it checks the node. */
interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: CelNode };
  readonly left?: CelNode;
  readonly right?: CelNode;
  /** Absent for macros. */
  readonly argTypes?: unknown;
  /** Absent for macros and functions without a receiver. */
  readonly receiverWithArgs?: readonly CelNode[];
  readonly handle: (...values: unknown[]) => unknown;
  evaluate(evaluator: Evaluator, node: CelNode, context: unknown): unknown;
  setMeta(key: "evaluate", evaluate: CelNode["evaluate"]): CelNode;
}

interface Evaluator {
  run(node: CelNode, context: unknown): unknown;
  tryEval(node: CelNode, context: unknown): unknown;
}

/** Creating an error with its position takes longer than evaluating a node. */
const ERROR = 200;
/** Creating a list or a map. */
const CREATE = 10;
const OPERATORS = new Set(["!=", "==", "in", "+", "-", "*", "/", "%", "<", "<=", ">", ">="]);

type Parsed = ReturnType<Environment["parse"]>;

/** Returns the evaluation of a checked expression with a meter at every node. */
export function metered(environment: Environment, parsed: Parsed): (scope: object) => unknown {
  const { ast: root } = parsed as unknown as { readonly ast: CelNode };
  const entry = environment.parse("true");
  (entry as unknown as { readonly ast: CelNode }).ast.setMeta("evaluate", (evaluator, _node, context) =>
    Object.assign(evaluator, { run, tryEval }).run(root, context),
  );
  return entry as (scope: object) => unknown;
}

function run(this: Evaluator, written: CelNode, context: unknown): unknown {
  const meter = currentMeter();
  meter.spend(1);
  const node = written.meta.alternate ?? written;
  if (OPERATORS.has(node.op)) {
    const [left, right] = [this.run(node.left!, context), this.run(node.right!, context)];
    chargeOperator(meter, node.op, left, right);
    return node.handle(left, right, node, this);
  }
  if (node.op === "call" && node.argTypes !== undefined) return call(this, node, context);
  if (node.op === "rcall" && node.argTypes !== undefined) return callMethod(this, node, context);
  if (node.op === "comprehension") return loop(this, node, context);
  if (node.op === "list" || node.op === "map") meter.spend(CREATE);
  return node.evaluate(this, node, context);
}

function tryEval(this: Evaluator, node: CelNode, context: unknown): unknown {
  try {
    return this.run(node, context);
  } catch (error) {
    currentMeter().spend(ERROR);
    return error;
  }
}

function call(evaluator: Evaluator, node: CelNode, context: unknown): unknown {
  const [name, args] = node.args as readonly [string, readonly CelNode[]];
  const values = args.map((part) => evaluator.run(part, context));
  chargeCall(currentMeter(), name, values);
  return node.handle(values, node, evaluator);
}

function callMethod(evaluator: Evaluator, node: CelNode, context: unknown): unknown {
  const [name] = node.args as readonly [string];
  const values = node.receiverWithArgs!.map((part) => evaluator.run(part, context));
  const [text, pattern] = values;
  if (name === "matches" && typeof text === "string" && typeof pattern === "string") return matches(text, pattern);
  chargeCall(currentMeter(), name, values);
  return node.handle(values, evaluator, node);
}

function loop(evaluator: Evaluator, node: CelNode, context: unknown): unknown {
  const args = node.args as { readonly iterable: CelNode };
  const items = evaluator.run(args.iterable, context);
  if (!Array.isArray(items)) currentMeter().spend(sizeOf(items)); // lists the keys of a map
  return node.handle(items, args, evaluator, context);
}

const MAX_PATTERN_LENGTH = 1000;

function matches(text: string, pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new ExpressionError(`Pattern has more than ${MAX_PATTERN_LENGTH} characters.`, 0);
  const compiled = compilePattern(pattern);
  const states = compiled.programSize();
  currentMeter().spend(10 * states + (text.length * states) / 8);
  return compiled.test(text);
}

function compilePattern(pattern: string): ReturnType<typeof toLinear> {
  try {
    return toLinear(pattern);
  } catch (error) {
    throw new ExpressionError(`Invalid pattern: ${(error as Error).message}.`, 0);
  }
}
