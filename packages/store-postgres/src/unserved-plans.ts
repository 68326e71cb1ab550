import type { UnservedPlan } from "@runledger/contracts";
import type { Database, Statement } from "./client.js";

/**
 * Plans, and owners, are found by jumping from one to the next in their index: runs that somebody can run are not looked
 * at. Those that a live worker owns are served, whatever it has said. OFFSET 0 keeps each look a look of its own.
 */
export const unserved: Statement = {
  name: "unserved_plans",
  text: `
WITH RECURSIVE alive AS (
  SELECT worker_id, plan_ids, plan_versions, log_format FROM runledger.workers WHERE expires_at > clock_timestamp()
),
served AS (
  SELECT p.plan_id, p.plan_version, max(w.log_format) AS log_format
  FROM alive w CROSS JOIN LATERAL unnest(w.plan_ids, w.plan_versions) AS p (plan_id, plan_version) GROUP BY 1, 2
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
    SELECT q.plan_id, q.plan_version, q.log_format FROM runledger.run_queue q
    WHERE q.owner IS NULL AND q.plan_id = unknown.plan_id AND q.plan_version = unknown.plan_version OFFSET 0
  ) AS run
  UNION ALL
  SELECT run.* FROM served CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version, q.log_format FROM runledger.run_queue q
    WHERE q.owner IS NULL AND q.plan_id = served.plan_id AND q.plan_version = served.plan_version
      AND q.log_format > 1 AND q.log_format > served.log_format OFFSET 0
  ) AS run
  UNION ALL
  SELECT run.* FROM owners CROSS JOIN LATERAL (
    SELECT q.plan_id, q.plan_version, q.log_format FROM runledger.run_queue q WHERE q.owner = owners.owner OFFSET 0
  ) AS run LEFT JOIN served USING (plan_id, plan_version)
  WHERE owners.owner NOT IN (SELECT worker_id FROM alive)
    AND (served.log_format IS NULL OR run.log_format > served.log_format)
)
SELECT stuck.plan_id, stuck.plan_version, stuck.log_format, served.plan_id IS NOT NULL, count(*)
FROM stuck LEFT JOIN served USING (plan_id, plan_version)
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
