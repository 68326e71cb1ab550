/** Decides whether a tenant may start a workflow. The store has the answer, because schedulers have no workflow code. */
import { InputError, isVisibleTo, type FullStateStore, type PlanRef, type Visibility } from "@runledger/contracts";
import type { Timers } from "../time/timers.js";

/** A start must stay cheap, so it may use what an earlier start has read less than two seconds ago. */
const KEEP_MS = 2000;

interface Known {
  readonly readAt: number;
  readonly visibility: Promise<Visibility | undefined>;
}

const known = new WeakMap<FullStateStore, Map<string, Known>>();

/**
 * Throws WORKFLOW_NOT_FOUND, as for a workflow that does not exist. With `timers`, it may use what it has read recently by this
 * clock.
 */
export async function checkVisible(
  store: FullStateStore,
  plan: PlanRef,
  tenantId: string,
  timers?: Timers,
): Promise<void> {
  const visibility = await (timers === undefined ? readVisibility(store, plan) : recentVisibility(store, plan, timers));
  if (!isVisibleTo(visibility, tenantId)) throw workflowNotFound(plan.planId, plan.planVersion);
}

/** Call this after the plan's notes have changed. */
export function forgetVisibility(store: FullStateStore, plan: PlanRef): void {
  known.get(store)?.delete(keyOf(plan));
}

export function workflowNotFound(planId: string, planVersion: string | undefined): InputError {
  const name = planVersion === undefined ? planId : `${planId} ${planVersion}`;
  const message = `${name} does not exist. Check the name, or start a worker that has it.`;
  return new InputError("WORKFLOW_NOT_FOUND", "workflow", message);
}

async function readVisibility(store: FullStateStore, plan: PlanRef): Promise<Visibility | undefined> {
  return (await store.plans.loadNotes(plan)).visibility;
}

function recentVisibility(store: FullStateStore, plan: PlanRef, { now }: Timers): Promise<Visibility | undefined> {
  const plans = known.get(store) ?? new Map<string, Known>();
  known.set(store, plans);
  const found = plans.get(keyOf(plan));
  if (found !== undefined && now() - found.readAt < KEEP_MS) return found.visibility;
  const visibility = readVisibility(store, plan);
  visibility.catch(() => plans.delete(keyOf(plan)));
  plans.set(keyOf(plan), { readAt: now(), visibility });
  return visibility;
}

function keyOf({ planId, planVersion }: PlanRef): string {
  return `${planId}|${planVersion}`;
}
