import { PlanVersionTakenError, type Plan } from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";

/** First write wins; the update that changes nothing makes the published row come back, whoever wrote it. */
const register: Statement = {
  name: "register_plan",
  text: `
INSERT INTO runledger.plans AS p (plan_id, plan_version, hash, plan) VALUES ($1, $2, $3, $4)
ON CONFLICT (plan_id, plan_version) DO UPDATE SET hash = p.hash
RETURNING hash`,
};

export async function registerPlan(db: Database, plan: Plan): Promise<void> {
  const { planId, planVersion, hash } = plan;
  const [published] = firstOf(await db.write(register, [planId, planVersion, hash, JSON.stringify(plan)]));
  if (published !== hash) throw new PlanVersionTakenError(planId, planVersion, String(published));
}
