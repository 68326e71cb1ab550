import type { FullStateStore, Plan, PlanNotes } from "@runledger/contracts";

const published = new WeakMap<FullStateStore, Map<string, Promise<void>>>();

/**
 * D7: whoever starts a run has published its plan, so that it can always be read back. A process asks once per plan:
 * what was published stays.
 */
export function publishPlan(store: FullStateStore, plan: Plan, notes?: PlanNotes): Promise<void> {
  const known = published.get(store) ?? new Map<string, Promise<void>>();
  published.set(store, known);
  const key = [plan.planId, plan.planVersion, plan.hash, notes === undefined ? "" : JSON.stringify(notes)].join("|");
  const asked = known.get(key) ?? store.plans.registerPlan(plan, notes);
  if (!known.has(key)) asked.catch(() => known.delete(key)); // the next one asks again
  known.set(key, asked);
  return asked;
}
