import {
  PlanVersionTakenError,
  workerGap,
  type Plan,
  type PlanRef,
  type PublishedPlan,
  type UnservedPlan,
} from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { listWorkers } from "./leases.js";
import { isAlive, type Tables } from "./tables.js";

export function registerPlan(tables: Tables, plan: Plan): void {
  const { planId, planVersion, hash } = plan;
  const published = tables.plans.get(keyOf(plan));
  if (published === undefined)
    tables.plans.set(keyOf(plan), { plan: structuredClone(plan), publishedAt: tables.now() });
  else if (published.plan.hash !== hash) throw new PlanVersionTakenError(planId, planVersion, published.plan.hash);
}

export function loadPlan(tables: Tables, ref: PlanRef): Plan | null {
  const published = tables.plans.get(keyOf(ref));
  return published === undefined ? null : structuredClone(published.plan);
}

export function listPlans(
  tables: Tables,
  params: { readonly planId: string | undefined; readonly after: PlanRef | undefined; readonly limit: number },
): PublishedPlan[] {
  const { planId, after, limit } = params;
  const published = [...tables.plans.values()].map(({ plan, publishedAt }) => toPublished(plan, publishedAt));
  return published
    .filter((plan) => (planId ?? plan.planId) === plan.planId && (after === undefined || compare(plan, after) > 0))
    .sort(compare)
    .slice(0, limit);
}

export function listUnserved(tables: Tables): UnservedPlan[] {
  const known = listWorkers(tables);
  const found = new Map<string, UnservedPlan>();
  for (const { planId, planVersion, logFormat, owner } of tables.queue.values()) {
    const needs = { planId, planVersion, logFormat };
    const missing = isAlive(tables, owner) ? null : workerGap(known, needs);
    if (missing === null) continue;
    const key = JSON.stringify([planId, planVersion, logFormat]);
    found.set(key, { ...needs, missing, openRuns: (found.get(key)?.openRuns ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => compare(a, b) || a.logFormat - b.logFormat);
}

function toPublished({ planId, planVersion, hash }: Plan, publishedAt: number): PublishedPlan {
  return { planId, planVersion, hash, publishedAt: new Date(publishedAt).toISOString() };
}

function compare(a: PlanRef, b: PlanRef): number {
  return compareIds(a.planId, b.planId) || compareIds(a.planVersion, b.planVersion);
}

function keyOf({ planId, planVersion }: PlanRef): string {
  return JSON.stringify([planId, planVersion]);
}
