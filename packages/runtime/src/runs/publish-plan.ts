import { PlanVersionTakenError, type FullStateStore, type Plan, type PlanNotes } from "@runledger/contracts";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { notesOf } from "../yaml/published-workflow.js";
import { forgetVisibility } from "./visibility.js";
import { planDifference } from "./plan-difference.js";

const published = new WeakMap<FullStateStore, Map<string, Promise<void>>>();

/**
 * D7: publishes a plan before a run of it starts, so that it can always be read back. A process publishes each plan once,
 * because plans are immutable.
 */
export function publishPlan(store: FullStateStore, plan: Plan, notes?: PlanNotes): Promise<void> {
  const known = published.get(store) ?? new Map<string, Promise<void>>();
  published.set(store, known);
  const key = [plan.planId, plan.planVersion, plan.hash, notes === undefined ? "" : JSON.stringify(notes)].join("|");
  const asked = known.get(key) ?? registerPlan(store, plan, notes);
  if (!known.has(key)) asked.catch(() => known.delete(key)); // the next call retries
  known.set(key, asked);
  return asked;
}

/** Registers a plan in the store. If its version has other content, the error names the steps that differ. */
export async function registerPlan(store: FullStateStore, plan: Plan, notes?: PlanNotes): Promise<void> {
  try {
    await store.plans.registerPlan(plan, notes);
    forgetVisibility(store, plan);
  } catch (error) {
    if (!(error instanceof PlanVersionTakenError)) throw error;
    const other = await store.plans.loadPlan(plan);
    if (other === null) throw error;
    throw new PlanVersionTakenError(plan.planId, plan.planVersion, error.publishedHash, planDifference(other, plan));
  }
}

const declared = new WeakMap<FullStateStore, WeakMap<CompiledWorkflow, Promise<void>>>();

/**
 * Publishes the signals that a workflow declares before a run of it starts, so that every sender knows them. A process
 * publishes them once.
 */
export function publishSignals(store: FullStateStore, workflow: CompiledWorkflow): Promise<void> {
  const known = declared.get(store) ?? new WeakMap<CompiledWorkflow, Promise<void>>();
  declared.set(store, known);
  const asked = known.get(workflow) ?? publishNotes(store, workflow);
  if (!known.has(workflow)) asked.catch(() => known.delete(workflow)); // the next call retries
  known.set(workflow, asked);
  return asked;
}

/** The publisher of a workflow that was published over HTTP has written its notes, and may have changed them since. */
async function publishNotes(store: FullStateStore, workflow: CompiledWorkflow): Promise<void> {
  const { plan, signals, visibility, isPublished = false } = workflow;
  if (isPublished || (Object.keys(signals).length === 0 && visibility === undefined)) return;
  await publishPlan(store, plan, notesOf(workflow));
}
