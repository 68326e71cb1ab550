import type { UnservedPlan } from "@runledger/contracts";
import type { Database, Statement } from "./client.js";

/**
 * Jumps from one plan, or owner, to the next in the index, so that runs with a worker are not read. A run that a live
 * worker owns is served, even if the worker did not report its plan. Runs of a plan that only workers of some tenants
 * have are read one by one. OFFSET 0 keeps the planner from merging the
 * lookups.
 */
export const unserved: Statement = {
  name: "unserved_plans",
  text: `
WITH RECURSIVE alive AS (
  SELECT worker_id, plan_ids, plan_versions, log_format, tenants FROM runledger.workers WHERE expires_at > clock_timestamp()
),
served AS (
  SELECT p.plan_id, p.plan_version, max(w.log_format) AS log_format
  FROM alive w CROSS JOIN LATERAL unnest(w.plan_ids, w.plan_versions) AS p (plan_id, plan_version)
  WHERE w.tenants IS NULL GROUP BY 1, 2
),
served_tenants AS (
  SELECT p.plan_id, p.plan_version, t.id AS tenant_id, max(w.log_format) AS log_format
  FROM alive w CROSS JOIN LATERAL unnest(w.plan_ids, w.plan_versions) AS p (plan_id, plan_version)
  CROSS JOIN LATERAL unnest(w.tenants) AS t (id) GROUP BY 1, 2, 3
),
queued AS (
  (SELECT plan_id, plan_version FROM runledger.run_queue
   WHERE owner IS NULL ORDER BY plan_id, plan_version LIMIT 1)
  UNION ALL
  SELECT following.plan_id, following.plan_version FROM queued CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version FROM runledger.run_queue q
    WHERE q.owner IS NULL AND (q.plan_id, q.plan_version) > (queued.plan_id, queued.plan_version)
    ORDER BY q.plan_id, q.plan_version LIMIT 1
  ) AS following
),
owners AS (
  (SELECT owner FROM runledger.run_queue WHERE owner IS NOT NULL ORDER BY owner LIMIT 1)
  UNION ALL
  SELECT following.owner FROM owners CROSS JOIN LATERAL (
    SELECT q.owner FROM runledger.run_queue q WHERE q.owner > owners.owner ORDER BY q.owner LIMIT 1
  ) AS following
),
unknown AS (
  SELECT plan_id, plan_version FROM queued EXCEPT SELECT plan_id, plan_version FROM served
),
stuck AS (
  SELECT run.* FROM unknown CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version, q.log_format, q.tenant_id FROM runledger.run_queue q
    WHERE q.owner IS NULL AND q.plan_id = unknown.plan_id AND q.plan_version = unknown.plan_version OFFSET 0
  ) AS run
  UNION ALL
  SELECT run.* FROM served CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version, q.log_format, q.tenant_id FROM runledger.run_queue q
    WHERE q.owner IS NULL AND q.plan_id = served.plan_id AND q.plan_version = served.plan_version
      AND q.log_format > 1 AND q.log_format > served.log_format OFFSET 0
  ) AS run
  UNION ALL
  SELECT run.* FROM owners CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version, q.log_format, q.tenant_id FROM runledger.run_queue q WHERE q.owner = owners.owner OFFSET 0
  ) AS run LEFT JOIN served USING (plan_id, plan_version)
  WHERE owners.owner NOT IN (SELECT worker_id FROM alive)
    AND (served.log_format IS NULL OR run.log_format > served.log_format)
)
SELECT stuck.plan_id, stuck.plan_version, stuck.log_format,
  served.plan_id IS NOT NULL OR own.plan_id IS NOT NULL, count(*)
FROM stuck LEFT JOIN served USING (plan_id, plan_version)
LEFT JOIN served_tenants own USING (plan_id, plan_version, tenant_id)
WHERE own.log_format IS NULL OR own.log_format < stuck.log_format
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3`,
};

export async function listUnserved(db: Database): Promise<UnservedPlan[]> {
  return (await db.read(unserved)).map(([planId, planVersion, logFormat, known, openRuns]) => ({
    planId: planId as string,
    planVersion: planVersion as string,
    logFormat: logFormat as number,
    missing: known === true ? "logFormat" : "plan",
    openRuns: openRuns as number,
  }));
}
