import type { Json, Plan } from "@runledger/contracts";
import type { AnySchema } from "./schema.js";
import type { AnyWorkflow } from "./types.js";

/** The functions of one step, by what they are asked. They run in a worker; what they return is recorded (D1). */
export interface Closures {
  readonly run?: (ctx: never) => unknown;
  readonly compensate?: (ctx: never) => unknown;
  /** `if` of a when, `items` of a forEach, `until` of a sleep, `input` of a child. */
  readonly open?: (ctx: never) => unknown;
  /** `until` of a repeat. */
  readonly until?: (ctx: never) => unknown;
  /** What a runner is told: a command's arguments, a statement's binds, a request. */
  readonly options?: (ctx: never) => unknown;
  /** Of what comes back: a row, a body, a signal's payload. */
  readonly schema?: AnySchema;
}

/** What stands behind a workflow: its plan, and the functions that the plan names by path. */
export interface CompiledWorkflow {
  readonly plan: Plan;
  readonly closures: ReadonlyMap<string, Closures>;
  readonly input: AnySchema | undefined;
  readonly signals: Readonly<Record<string, AnySchema>>;
  readonly initialState: Json | undefined;
  /** True = it came over HTTP: its steps do only what the worker allows them. */
  readonly isPublished?: boolean;
}

const compiled = new WeakMap<object, CompiledWorkflow>();

export function attach(workflow: object, parts: CompiledWorkflow): void {
  compiled.set(workflow, parts);
}

export function compiledOf(workflow: AnyWorkflow): CompiledWorkflow {
  const parts = compiled.get(workflow);
  if (parts === undefined) throw new TypeError("This is no workflow; make one with workflow().");
  return parts;
}

export function isWorkflow(value: unknown): value is AnyWorkflow {
  return typeof value === "object" && value !== null && compiled.has(value);
}

/** A workflow that is known by what stands behind it only. */
export function asWorkflow(parts: CompiledWorkflow): AnyWorkflow {
  const made = { id: parts.plan.planId, version: parts.plan.planVersion };
  attach(made, parts);
  return made as AnyWorkflow;
}
