import {
  omitUndefined,
  PlanVersionTakenError,
  workerGap,
  type Plan,
  type PlanNotes,
  type PlanRef,
  type PublishedPlan,
  type UnservedPlan,
} from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { listWorkers } from "./leases.js";
import { isAlive, type PlanRow, type Tables } from "./tables.js";

export function registerPlan(tables: Tables, plan: Plan, notes: PlanNotes = {}): void {
  const { planId, planVersion, hash } = plan;
  const published = tables.plans.get(keyOf(plan)) ?? { plan, publishedAt: tables.now(), notes: {} };
  if (published.plan.hash !== hash) throw new PlanVersionTakenError(planId, planVersion, published.plan.hash);
  tables.plans.set(keyOf(plan), structuredClone({ ...published, notes: { ...published.notes, ...notes } }));
}

export function loadNotes(tables: Tables, ref: PlanRef): PlanNotes {
  return structuredClone(tables.plans.get(keyOf(ref))?.notes ?? {});
}

export function loadPlan(tables: Tables, ref: PlanRef): Plan | null {
  const published = tables.plans.get(keyOf(ref));
  return published === undefined ? null : structuredClone(published.plan);
}

export function listPlans(
  tables: Tables,
  params: {
    readonly planId: string | undefined;
    readonly after: PlanRef | undefined;
    readonly limit: number;
    readonly withSource: boolean;
  },
): PublishedPlan[] {
  const { planId, after, limit, withSource } = params;
  return [...tables.plans.values()]
    .map(toPublished)
    .filter((plan) => (planId ?? plan.planId) === plan.planId && (plan.hasSource || !withSource))
    .filter((plan) => after === undefined || compare(plan, after) > 0)
    .sort(compare)
    .slice(0, limit);
}

export function listUnserved(tables: Tables): UnservedPlan[] {
  const known = listWorkers(tables);
  const found = new Map<string, UnservedPlan>();
  for (const { planId, planVersion, logFormat, owner, tenantId } of tables.queue.values()) {
    const needs = { planId, planVersion, logFormat };
    const missing = isAlive(tables, owner) ? null : workerGap(known, { ...needs, tenantId });
    if (missing === null) continue;
    const key = JSON.stringify([planId, planVersion, logFormat]);
    found.set(key, { ...needs, missing, openRuns: (found.get(key)?.openRuns ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => compare(a, b) || a.logFormat - b.logFormat);
}

function toPublished({ plan, publishedAt, notes }: PlanRow): PublishedPlan {
  const { planId, planVersion, hash } = plan;
  const hasSource = notes.source !== undefined;
  const visibility = omitUndefined({ visibility: notes.visibility });
  return { planId, planVersion, hash, publishedAt: new Date(publishedAt).toISOString(), hasSource, ...visibility };
}

function compare(a: PlanRef, b: PlanRef): number {
  return compareIds(a.planId, b.planId) || compareIds(a.planVersion, b.planVersion);
}

function keyOf({ planId, planVersion }: PlanRef): string {
  return JSON.stringify([planId, planVersion]);
}
