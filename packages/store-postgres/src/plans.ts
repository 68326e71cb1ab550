import {
  PlanVersionTakenError,
  type Plan,
  type PlanNotes,
  type PlanRef,
  type PublishedPlan,
  type Visibility,
} from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";

/**
 * The first write wins, except for the notes. The update changes nothing, but makes the statement return the published
 * row.
 */
const register: Statement = {
  name: "register_plan",
  text: `
INSERT INTO runledger.plans AS p (plan_id, plan_version, hash, plan, notes) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (plan_id, plan_version) DO UPDATE SET hash = p.hash, notes = CASE
  WHEN EXCLUDED.notes IS NULL OR p.hash <> EXCLUDED.hash THEN p.notes
  ELSE coalesce(p.notes, '{}') || EXCLUDED.notes END
RETURNING hash`,
};

const load: Statement = {
  name: "load_plan",
  text: "SELECT plan FROM runledger.plans WHERE plan_id = $1 AND plan_version = $2",
};

const notes: Statement = {
  name: "load_plan_notes",
  text: "SELECT notes FROM runledger.plans WHERE plan_id = $1 AND plan_version = $2",
};

const list: Statement = {
  name: "list_plans",
  text: `
SELECT plan_id, plan_version, hash, created_at, coalesce(notes ? 'source', false), notes -> 'visibility'
FROM runledger.plans
WHERE ($1::text IS NULL OR plan_id = $1) AND (plan_id, plan_version) > ($2, $3)
ORDER BY plan_id, plan_version LIMIT $4`,
};

const listSources: Statement = {
  name: "list_plan_sources",
  text: `
SELECT plan_id, plan_version, hash, created_at, true, notes -> 'visibility' FROM runledger.plans
WHERE notes ? 'source' AND ($1::text IS NULL OR plan_id = $1) AND (plan_id, plan_version) > ($2, $3)
ORDER BY plan_id, plan_version LIMIT $4`,
};

export async function registerPlan(db: Database, plan: Plan, said: PlanNotes | undefined): Promise<void> {
  const { planId, planVersion, hash } = plan;
  const row = [planId, planVersion, hash, JSON.stringify(plan), said === undefined ? null : JSON.stringify(said)];
  const [published] = firstOf(await db.write(register, row));
  if (published !== hash) throw new PlanVersionTakenError(planId, planVersion, String(published));
}

export async function loadPlan(db: Database, { planId, planVersion }: PlanRef): Promise<Plan | null> {
  const [row] = await db.read(load, [planId, planVersion]);
  return row === undefined ? null : (row[0] as Plan);
}

export async function loadNotes(db: Database, { planId, planVersion }: PlanRef): Promise<PlanNotes> {
  const [row] = await db.read(notes, [planId, planVersion]);
  return (row?.[0] as PlanNotes | null | undefined) ?? {};
}

export async function listPlans(
  db: Database,
  params: {
    readonly planId: string | undefined;
    readonly after: PlanRef | undefined;
    readonly limit: number;
    readonly withSource: boolean;
  },
): Promise<PublishedPlan[]> {
  const { planId, after, limit, withSource } = params;
  const rows = await db.read(withSource ? listSources : list, [
    planId ?? null,
    after?.planId ?? "",
    after?.planVersion ?? "",
    limit,
  ]);
  return rows.map(([id, version, hash, publishedAt, hasSource, visibility]) => ({
    planId: id as string,
    planVersion: version as string,
    hash: hash as string,
    publishedAt: publishedAt as string,
    hasSource: hasSource as boolean,
    ...(visibility === null ? {} : { visibility: visibility as Visibility }),
  }));
}
