import type { Json, Plan, Visibility } from "@runledger/contracts";
import type { AnySchema } from "./schema.js";
import type { AnyWorkflow } from "./types.js";

/** The functions of one step, by purpose. They run in a worker, and their results are recorded (D1). */
export interface Closures {
  readonly run?: (ctx: never) => unknown;
  readonly compensate?: (ctx: never) => unknown;
  /** The functions of the runner that compensates the step. */
  readonly undo?: Closures;
  /** A `when`'s `if`, a `forEach`'s `items`, a `sleep`'s `until`, or a `child`'s `input`. */
  readonly open?: (ctx: never) => unknown;
  /** A `repeat`'s `until`. */
  readonly until?: (ctx: never) => unknown;
  /** Returns a runner's settings: arguments of a command, binds of a statement, or a request. */
  readonly options?: (ctx: never) => unknown;
  /** The schema of the result: a row, a body, or a signal's payload. */
  readonly schema?: AnySchema;
}

/** A compiled workflow: its plan, and the functions that the plan refers to by path. */
export interface CompiledWorkflow {
  readonly plan: Plan;
  readonly closures: ReadonlyMap<string, Closures>;
  readonly input: AnySchema | undefined;
  readonly signals: Readonly<Record<string, AnySchema>>;
  readonly initialState: Json | undefined;
  /** `true` if it was published over HTTP: its steps do only what the worker permits. */
  readonly isPublished?: boolean;
  /** Absent means shared. */
  readonly visibility?: Visibility;
}

const compiled = new WeakMap<object, CompiledWorkflow>();

export function attach(workflow: object, parts: CompiledWorkflow): void {
  compiled.set(workflow, parts);
}

export function compiledOf(workflow: AnyWorkflow): CompiledWorkflow {
  const parts = compiled.get(workflow);
  if (parts === undefined) throw new TypeError("Not a workflow. Create one with workflow().");
  return parts;
}

export function isWorkflow(value: unknown): value is AnyWorkflow {
  return typeof value === "object" && value !== null && compiled.has(value);
}

/** Wraps a compiled workflow as a workflow without types. */
export function asWorkflow(parts: CompiledWorkflow): AnyWorkflow {
  const made = { id: parts.plan.planId, version: parts.plan.planVersion };
  attach(made, parts);
  return made as AnyWorkflow;
}
