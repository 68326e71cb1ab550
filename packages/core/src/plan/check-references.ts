import type { PlanProblem } from "@runledger/contracts";
import type { Definition, DefinitionBody, StepRef } from "./definition.js";
import type { LocatedStep } from "./located-step.js";
import { problem, problemAt } from "./problems.js";
import { referencesOf, type Reference } from "./references.js";

type Steps = ReadonlyMap<string, LocatedStep>;

/** Everything a step names must be there, be visible from where it stands, and be able to run before it. */
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
    const message = `names ${foreign(to)}; a step can only name steps of its own workflow. Use child().`;
    yield problem(from, "PLAN_FOREIGN_HANDLE", message, at);
    return;
  }
  const target = byPath.get(to);
  if (target === undefined) yield problem(from, "PLAN_UNKNOWN_STEP", unknown(to, byPath), at);
  else if (from.path.startsWith(`${to}/`)) {
    const message = `waits for ${to}, the container it is in, which waits for it. Remove ${at}.`;
    yield problem(from, "PLAN_CYCLE", message, at);
  } else yield* checkVisible(at, from, target);
}

function unknown(to: string, byPath: Steps): string {
  const near = [...byPath.keys()].find((path) => path.toLowerCase() === to.toLowerCase() || path.endsWith(`/${to}`));
  const hint = near === undefined ? "Define it, or remove the reference." : `Did you mean ${near}?`;
  return `names ${to}, which is no step. ${hint}`;
}

/** Inside another container it has many instances or none; in the other branch of the same `when`, it never runs. */
function* checkVisible(at: string, from: LocatedStep, target: LocatedStep): Generator<PlanProblem> {
  const depth = target.bodies.findIndex((body, place) => from.bodies[place] !== body);
  if (depth === -1) return;
  const container = target.containers[depth - 1]!;
  const path = target.path.split("/").slice(0, depth).join("/");
  if (from.containers[depth - 1] === container) {
    const message = `waits for ${target.path} in the other branch of ${path}: where one runs the other does not. Remove ${at}.`;
    yield problem(from, "PLAN_NEVER_RUNS", message, at);
  } else {
    yield problem(from, "PLAN_OUT_OF_SCOPE", `names ${target.path} from outside ${path}. Name ${path} instead.`, at);
  }
}

function* checkOutput(body: DefinitionBody, owner: string, byPath: Steps): Generator<PlanProblem> {
  const { output, steps } = body;
  if (output === undefined) return;
  const target = typeof output === "string" ? byPath.get(output) : undefined;
  if (target !== undefined && steps.includes(target.step)) return;
  const name = typeof output === "string" ? output : foreign(output);
  const message = `gives ${name} as its output, which is no step of it. Return one of its own steps.`;
  yield problemAt(body, owner, outputCode(output, target), message, "output");
}

function outputCode(output: StepRef, target: LocatedStep | undefined): PlanProblem["code"] {
  if (typeof output !== "string") return "PLAN_FOREIGN_HANDLE";
  return target === undefined ? "PLAN_UNKNOWN_STEP" : "PLAN_OUT_OF_SCOPE";
}

function foreign({ path, workflow }: Exclude<StepRef, string>): string {
  return `${path} of workflow ${workflow}`;
}
