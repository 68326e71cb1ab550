/** Applies the policies on start keys, dead letters and the feed. */
import type { Purged } from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";

/** The policy of a tenant, or the one for every tenant. */
const policy = (kind: string, tenant: string): string => `(
  SELECT clock_timestamp() - delete_after_ms * interval '1 ms' AS before FROM runledger.retention_policies
  WHERE kind = '${kind}' AND tenant_id IN (${tenant}, '*') ORDER BY tenant_id = '*' LIMIT 1
)`;

/** Skips from tenant to tenant. A tenant without a policy has no due rows: `before` is `null`. */
const startKeys: Statement = {
  name: "purge_start_keys",
  text: `
WITH RECURSIVE tenants (tenant_id) AS (
  (SELECT tenant_id FROM runledger.deleted_runs WHERE swept_at IS NOT NULL ORDER BY tenant_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT tenant_id FROM runledger.deleted_runs
    WHERE swept_at IS NOT NULL AND tenant_id > tenants.tenant_id ORDER BY tenant_id LIMIT 1
  ) FROM tenants WHERE tenant_id IS NOT NULL
),
due AS MATERIALIZED (
  SELECT old.run_id FROM tenants
  CROSS JOIN LATERAL ${policy("startKeys", "tenants.tenant_id")} AS kept
  CROSS JOIN LATERAL (
    SELECT run_id FROM runledger.deleted_runs d
    WHERE d.swept_at IS NOT NULL AND d.tenant_id = tenants.tenant_id AND d.deleted_at < kept.before
    ORDER BY d.deleted_at LIMIT $1
  ) AS old
  LIMIT $1
),
gone AS (
  DELETE FROM runledger.deleted_runs WHERE run_id IN (SELECT run_id FROM due) RETURNING run_id
),
ticks AS (
  DELETE FROM runledger.schedule_ticks WHERE run_id IN (SELECT run_id FROM gone)
),
keys AS (
  DELETE FROM runledger.run_starts WHERE run_id IN (SELECT run_id FROM gone) RETURNING 1
)
SELECT count(*) FROM keys`,
};

/** Skips the event, as an operator who drops the dead letter does. */
const deadLetters: Statement = {
  name: "purge_dead_letters",
  text: `
WITH due AS (
  SELECT old.number, old.run_id FROM runledger.subscriptions s
  CROSS JOIN LATERAL ${policy("deadLetters", "s.tenant_id")} AS kept
  CROSS JOIN LATERAL (
    SELECT number, run_id FROM runledger.deliveries d
    WHERE d.number = s.number AND d.dead_at < kept.before ORDER BY d.dead_at LIMIT $1
  ) AS old
  LIMIT $1
),
dropped AS (
  UPDATE runledger.deliveries d
  SET dead_at = NULL, attempts = 0, due_at = statement_timestamp(), delivered_seq = d.delivered_seq + 1
  FROM due WHERE (d.number, d.run_id) = (due.number, due.run_id) AND d.dead_at IS NOT NULL
  RETURNING 1
)
SELECT count(*) FROM dropped`,
};

/** A follower that comes back lists the runs that are behind (F8). */
const followers: Statement = {
  name: "purge_followers",
  text: `
WITH gone AS (
  DELETE FROM runledger.feed_followers f USING ${policy("feed", "'*'")} AS kept
  WHERE f.updated_at < kept.before AND NOT EXISTS (
    SELECT FROM runledger.feed_members m
    WHERE m.group_name = split_part(f.follower, '/', 1) AND m.expires_at > clock_timestamp()
  )
  RETURNING 1
)
SELECT count(*) FROM gone`,
};

export async function purge(db: Database, limit: number): Promise<Purged> {
  const count = async (statement: Statement, values: readonly unknown[] = []): Promise<number> =>
    firstOf(await db.write(statement, values))[0] as number;
  return {
    startKeys: await count(startKeys, [limit]),
    deadLetters: await count(deadLetters, [limit]),
    followers: await count(followers),
  };
}
