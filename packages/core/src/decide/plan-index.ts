import type { Plan, PlanBody, PlanStep } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { isRunner } from "./body-walk.js";
import { pathOf, UNDO } from "./instance-ids.js";

const indexes = new WeakMap<Plan, ReadonlyMap<string, PlanStep>>();

/** Maps the steps of a plan by path. Plans are immutable, so each is indexed once. */
export function indexPlan(plan: Plan): ReadonlyMap<string, PlanStep> {
  const known = indexes.get(plan);
  if (known !== undefined) return known;
  const index = new Map(pathsOf(plan.body, ""));
  if (plan.onFailure !== undefined) index.set(plan.onFailure.id, plan.onFailure);
  indexes.set(plan, index);
  return index;
}

function* pathsOf(body: PlanBody, prefix: string): Generator<[string, PlanStep]> {
  for (const step of body.steps) {
    yield [prefix + step.id, step];
    for (const inner of step.bodies ?? []) yield* pathsOf(inner, `${prefix}${step.id}/`);
  }
}

/**
 * Returns `true` if the runner of a step recorded this step, such as `build/model.orders` inside `build` (D11). The plan does
 * not contain it, and it ends with the step around it.
 */
export function isInner(stepAt: ReadonlyMap<string, PlanStep>, stepId: string): boolean {
  if (stepId.startsWith(UNDO) || stepId.split("/").length % 2 === 1) return false;
  return isRunner(stepAt.get(pathOf(stepId))?.kind ?? "repeat"); // a pass of a repeat has such an id, too
}

/** Returns `true` if this is a step of the run, started or not. A mistyped id must not create a step. */
export function isInstance(stepAt: ReadonlyMap<string, PlanStep>, state: RunState, stepId: string): boolean {
  const names = stepId.split("/");
  if (names.length % 2 === 0 || !stepAt.has(pathOf(stepId))) return false; // a pass, or no step at all
  if (names.length === 1) return true;
  const index = Number(names[names.length - 2]);
  const container = state.steps.get(names.slice(0, -2).join("/"))?.opened;
  if (container?.count !== undefined) return index < container.count;
  return container?.branch === index || state.steps.get(names.slice(0, -1).join("/")) !== undefined;
}
