import type { PlanProblem } from "@runledger/contracts";
import type { Definition, DefinitionBody, StepRef } from "./definition.js";
import type { LocatedStep } from "./located-step.js";
import { problem, problemAt } from "./problems.js";
import { referencesOf, type Reference } from "./references.js";

type Steps = ReadonlyMap<string, LocatedStep>;

/** Checks that every step a step refers to exists, is visible to it, and can run before it. */
export function* checkReferences(definition: Definition, steps: readonly LocatedStep[]): Generator<PlanProblem> {
  const byPath: Steps = new Map(steps.map((located) => [located.path, located]));
  for (const located of steps) {
    for (const reference of referencesOf(located.step)) yield* checkReference(reference, located, byPath);
  }
  yield* checkOutput(definition.body, "", byPath);
  for (const { step, path } of steps) {
    for (const body of step.bodies ?? []) yield* checkOutput(body, path, byPath);
  }
}

function* checkReference({ at, to }: Reference, from: LocatedStep, byPath: Steps): Generator<PlanProblem> {
  if (typeof to !== "string") {
    const message = `refers to ${foreign(to)}; a step can refer only to steps of its own workflow. Use child() instead.`;
    yield problem(from, "PLAN_FOREIGN_HANDLE", message, at);
    return;
  }
  const target = byPath.get(to);
  if (target === undefined) yield problem(from, "PLAN_UNKNOWN_STEP", unknown(to, byPath), at);
  else if (from.path.startsWith(`${to}/`)) {
    const message = `waits for ${to}, the container around it, which waits for it in turn. Remove ${at}.`;
    yield problem(from, "PLAN_CYCLE", message, at);
  } else yield* checkVisible(at, from, target);
}

function unknown(to: string, byPath: Steps): string {
  const near = [...byPath.keys()].find((path) => path.toLowerCase() === to.toLowerCase() || path.endsWith(`/${to}`));
  const hint = near === undefined ? "Define it or remove the reference." : `Did you mean ${near}?`;
  return `refers to ${to}, which does not exist. ${hint}`;
}

/** A step in another container has many instances or none. A step in the other branch of the same `when` never runs. */
function* checkVisible(at: string, from: LocatedStep, target: LocatedStep): Generator<PlanProblem> {
  const depth = target.bodies.findIndex((body, place) => from.bodies[place] !== body);
  if (depth === -1) return;
  const container = target.containers[depth - 1]!;
  const path = target.path.split("/").slice(0, depth).join("/");
  if (from.containers[depth - 1] === container) {
    const message = `waits for ${target.path} in the other branch of ${path}, but only one branch runs. Remove ${at}.`;
    yield problem(from, "PLAN_NEVER_RUNS", message, at);
  } else {
    yield problem(
      from,
      "PLAN_OUT_OF_SCOPE",
      `refers to ${target.path} from outside ${path}. Refer to ${path} instead.`,
      at,
    );
  }
}

function* checkOutput(body: DefinitionBody, owner: string, byPath: Steps): Generator<PlanProblem> {
  const { output, steps } = body;
  if (output === undefined) return;
  const target = typeof output === "string" ? byPath.get(output) : undefined;
  if (target !== undefined && steps.includes(target.step)) {
    yield* checkSettled(body, owner, target);
    return;
  }
  const name = typeof output === "string" ? output : foreign(output);
  const message = `returns ${name} as its output, which is not one of its steps. Return one of its own steps.`;
  yield problemAt(body, owner, outputCode(output, target), message, "output");
}

/** The output is recorded with the step, which does not know how dependents read it. */
function* checkSettled(body: DefinitionBody, owner: string, { step, path }: LocatedStep): Generator<PlanProblem> {
  if (step.settle !== true) return;
  const message = `returns ${path}, which has "settle", as its output. Return a step that reads it.`;
  yield problemAt(body, owner, "PLAN_OPTION_INVALID", message, "output");
}

function outputCode(output: StepRef, target: LocatedStep | undefined): PlanProblem["code"] {
  if (typeof output !== "string") return "PLAN_FOREIGN_HANDLE";
  return target === undefined ? "PLAN_UNKNOWN_STEP" : "PLAN_OUT_OF_SCOPE";
}

function foreign({ path, workflow }: Exclude<StepRef, string>): string {
  return `${path} of workflow ${workflow}`;
}
