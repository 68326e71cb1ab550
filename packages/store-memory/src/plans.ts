import { PlanVersionTakenError, type Plan } from "@runledger/contracts";
import type { Tables } from "./tables.js";

export function registerPlan(tables: Tables, plan: Plan): void {
  const { planId, planVersion, hash } = plan;
  const key = JSON.stringify([planId, planVersion]);
  const published = tables.plans.get(key) ?? plan;
  if (published.hash !== hash) throw new PlanVersionTakenError(planId, planVersion, published.hash);
  tables.plans.set(key, published);
}
