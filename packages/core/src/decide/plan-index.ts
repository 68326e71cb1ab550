import type { Plan, PlanBody, PlanStep } from "@runledger/contracts";

const indexes = new WeakMap<Plan, ReadonlyMap<string, PlanStep>>();

/** Every step of a plan by its path. Plans are immutable; each is indexed once. */
export function indexPlan(plan: Plan): ReadonlyMap<string, PlanStep> {
  const known = indexes.get(plan);
  if (known !== undefined) return known;
  const index = new Map(pathsOf(plan.body, ""));
  indexes.set(plan, index);
  return index;
}

function* pathsOf(body: PlanBody, prefix: string): Generator<[string, PlanStep]> {
  for (const step of body.steps) {
    yield [prefix + step.id, step];
    for (const inner of step.bodies ?? []) yield* pathsOf(inner, `${prefix}${step.id}/`);
  }
}
