/**
 * A worker claims only runs that it can drive to their end: it has a runner for every kind of step and knows every child's
 * workflow. Other runs stay in the queue for a worker that does, with this as the shown reason.
 */
import { builtInKinds, type Plan, type PlanRef } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";

const KINDS: ReadonlySet<string> = new Set([...builtInKinds, "function", "command", "sql", "http"]);

/** The custom runners and child workflows that a plan needs. */
export interface PlanNeeds {
  readonly kinds: readonly string[];
  readonly children: readonly PlanRef[];
}

export function needsOf(plan: Plan): PlanNeeds {
  const steps = [...indexPlan(plan).values()];
  const kinds = [...new Set(steps.map(({ kind }) => kind))].filter((kind) => !KINDS.has(kind));
  return { kinds, children: steps.flatMap(({ child }) => (child === undefined ? [] : [child])) };
}

/** Describes the first need that a worker does not meet. `null` if it can run the plan. */
export function missingFor(
  plan: Plan,
  { workflows, runners }: { readonly workflows: readonly CompiledWorkflow[]; readonly runners: object },
): string | null {
  const { kinds, children } = needsOf(plan);
  const kind = kinds.find((name) => !Object.hasOwn(runners, name));
  if (kind !== undefined) return `it has no runner for steps of kind ${kind}. Add one to the worker's runners`;
  const child = children.find((wanted) => !workflows.some((one) => isSame(one.plan, wanted)));
  if (child === undefined) return null;
  return `it does not have child workflow ${child.planId} ${child.planVersion}. Add it to the worker's workflows`;
}

function isSame(a: PlanRef, b: PlanRef): boolean {
  return a.planId === b.planId && a.planVersion === b.planVersion;
}

/** The plans whose runs a worker with these workflows and runners claims. */
export function plansToClaim(workflows: readonly CompiledWorkflow[], runners: object = {}): readonly PlanRef[] {
  const able = workflows.filter(({ plan }) => missingFor(plan, { workflows, runners }) === null);
  return able.map(({ plan: { planId, planVersion } }) => ({ planId, planVersion }));
}
