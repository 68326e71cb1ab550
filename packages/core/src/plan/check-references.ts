import type { PlanProblem } from "@runledger/contracts";
import { problem } from "./check-ids.js";
import type { Definition, DefinitionBody, StepRef } from "./definition.js";
import type { LocatedStep } from "./located-step.js";

/** Everything a step names must be there, be visible from where it stands, and be able to run before it. */
export function* checkReferences(definition: Definition, steps: readonly LocatedStep[]): Generator<PlanProblem> {
  const byPath = new Map(steps.map((located) => [located.path, located]));
  for (const located of steps) {
    for (const ref of refsOf(located)) yield* checkReference(ref, located, byPath);
  }
  yield* checkOutput(definition.body, "", byPath);
  for (const located of steps) {
    for (const body of located.step.bodies ?? []) {
      yield* checkOutput(body, located.path, byPath);
    }
  }
}

function refsOf({ step }: LocatedStep): StepRef[] {
  return [...Object.values(step.needs ?? {}), ...(step.after ?? [])];
}

function* checkReference(
  ref: StepRef,
  from: LocatedStep,
  byPath: ReadonlyMap<string, LocatedStep>,
): Generator<PlanProblem> {
  if (typeof ref !== "string") {
    const message = `names ${ref.path} of workflow ${ref.workflow}; a step can only name steps of its own workflow. Use child().`;
    return yield problem(from, "PLAN_FOREIGN_HANDLE", message);
  }
  const target = byPath.get(ref);
  if (target === undefined) return yield unknown(from, ref, byPath);
  if (from.path.startsWith(`${ref}/`)) {
    const message = `waits for ${ref}, the container it is in, which waits for it. Remove ${ref}.`;
    return yield problem(from, "PLAN_CYCLE", message);
  }
  if (target.bodies.every((body, depth) => from.bodies[depth] === body)) return;
  yield invisible(from, target);
}

function unknown(from: LocatedStep, ref: string, byPath: ReadonlyMap<string, LocatedStep>): PlanProblem {
  const near = [...byPath.keys()].find((path) => path.toLowerCase() === ref.toLowerCase() || path.endsWith(`/${ref}`));
  const hint = near === undefined ? "Define it, or remove the reference." : `Did you mean ${near}?`;
  return problem(from, "PLAN_UNKNOWN_STEP", `names ${ref}, which is no step. ${hint}`);
}

/** Inside another container it has many instances or none; in the other branch of the same `when`, it never runs. */
function invisible(from: LocatedStep, target: LocatedStep): PlanProblem {
  const container = target.containers.at(-1)!;
  const otherBranch = from.containers.includes(container);
  return otherBranch
    ? problem(from, "PLAN_NEVER_RUNS", `waits for ${target.path} in the other branch, which then does not run.`)
    : problem(
        from,
        "PLAN_OUT_OF_SCOPE",
        `names ${target.path} from outside ${container.id}. Name ${container.id} instead.`,
      );
}

function* checkOutput(
  { output, steps }: DefinitionBody,
  owner: string,
  byPath: ReadonlyMap<string, LocatedStep>,
): Generator<PlanProblem> {
  if (output === undefined) return;
  const target = typeof output === "string" ? byPath.get(output) : undefined;
  if (target !== undefined && steps.includes(target.step)) return;
  const name = typeof output === "string" ? output : `${output.path} of workflow ${output.workflow}`;
  const message = `gives ${name} as its output, which is no step of it. Return one of its own steps.`;
  yield { code: typeof output === "string" ? "PLAN_OUT_OF_SCOPE" : "PLAN_FOREIGN_HANDLE", step: owner, message };
}
