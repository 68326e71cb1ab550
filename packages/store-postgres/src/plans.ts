import { PlanVersionTakenError, type Plan, type PlanRef, type PublishedPlan } from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";

/** First write wins; the update that changes nothing makes the published row come back, whoever wrote it. */
const register: Statement = {
  name: "register_plan",
  text: `
INSERT INTO runledger.plans AS p (plan_id, plan_version, hash, plan) VALUES ($1, $2, $3, $4)
ON CONFLICT (plan_id, plan_version) DO UPDATE SET hash = p.hash
RETURNING hash`,
};

const load: Statement = {
  name: "load_plan",
  text: "SELECT plan FROM runledger.plans WHERE plan_id = $1 AND plan_version = $2",
};

const list: Statement = {
  name: "list_plans",
  text: `
SELECT plan_id, plan_version, hash, created_at FROM runledger.plans
WHERE ($1::text IS NULL OR plan_id = $1) AND (plan_id, plan_version) > ($2, $3)
ORDER BY plan_id, plan_version LIMIT $4`,
};

export async function registerPlan(db: Database, plan: Plan): Promise<void> {
  const { planId, planVersion, hash } = plan;
  const [published] = firstOf(await db.write(register, [planId, planVersion, hash, JSON.stringify(plan)]));
  if (published !== hash) throw new PlanVersionTakenError(planId, planVersion, String(published));
}

export async function loadPlan(db: Database, { planId, planVersion }: PlanRef): Promise<Plan | null> {
  const [row] = await db.read(load, [planId, planVersion]);
  return row === undefined ? null : (row[0] as Plan);
}

export async function listPlans(
  db: Database,
  params: { readonly planId: string | undefined; readonly after: PlanRef | undefined; readonly limit: number },
): Promise<PublishedPlan[]> {
  const { planId, after, limit } = params;
  const rows = await db.read(list, [planId ?? null, after?.planId ?? "", after?.planVersion ?? "", limit]);
  return rows.map(([id, version, hash, publishedAt]) => ({
    planId: id as string,
    planVersion: version as string,
    hash: hash as string,
    publishedAt: publishedAt as string,
  }));
}
