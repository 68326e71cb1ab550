/** Ownership of runs (O1, P4). Every time in this file is the server's. */
import type { KnownWorker, Lease, PlanRef } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import { firstOf, type Calls, type Database, type Row, type Statement } from "./client.js";

/** Also deletes workers that have been silent for a day: a worker without a row counts as dead. */
const heartbeatStatement: Statement = {
  name: "lease_heartbeat",
  limit: "append",
  text: `
WITH gone AS (
  SELECT worker_id FROM runledger.workers
  WHERE expires_at < clock_timestamp() - interval '1 day' AND worker_id <> $1 FOR UPDATE SKIP LOCKED
),
forgotten AS (
  DELETE FROM runledger.workers w USING gone WHERE w.worker_id = gone.worker_id
)
INSERT INTO runledger.workers AS w (worker_id, expires_at, plan_ids, plan_versions, log_format, seen_at, tenants)
VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond', coalesce($3::text[], '{}'), coalesce($4::text[], '{}'),
  coalesce($5, 0), clock_timestamp(), $6::text[])
ON CONFLICT (worker_id) DO UPDATE SET expires_at = EXCLUDED.expires_at, seen_at = EXCLUDED.seen_at, plan_ids = coalesce($3::text[], w.plan_ids),
  plan_versions = coalesce($4::text[], w.plan_versions), log_format = coalesce($5, w.log_format),
  tenants = coalesce($6::text[], w.tenants)
RETURNING clock_timestamp()::timestamptz(3), expires_at`,
};

/** A worker without a row has retired, so its runs are free. A run that the worker already owns keeps its epoch. */
const acquireStatement: Statement = {
  name: "lease_acquire",
  limit: "append",
  text: `
WITH alive AS (
  SELECT worker_id FROM runledger.workers WHERE expires_at > clock_timestamp()
),
free AS (
  SELECT h.run_id, h.lease_owner FROM runledger.run_heads h
  WHERE h.run_id = ANY ($2::text[]) AND h.archived_at IS NULL
    AND $1 IN (SELECT worker_id FROM alive)
    AND (h.lease_owner IS NULL OR h.lease_owner = $1 OR h.lease_owner NOT IN (SELECT worker_id FROM alive))
  ORDER BY h.run_id
  FOR UPDATE OF h SKIP LOCKED
),
taken AS (
  UPDATE runledger.run_heads h
  SET lease_owner = $1, lease_epoch = h.lease_epoch + CASE WHEN h.lease_owner = $1 THEN 0 ELSE 1 END
  FROM free WHERE h.run_id = free.run_id
  RETURNING h.run_id, h.lease_epoch, nullif(free.lease_owner, $1) AS taken_from, h.head_seq
)
SELECT clock_timestamp()::timestamptz(3), t.run_id, t.lease_epoch, t.taken_from, t.head_seq
FROM (SELECT 1) AS always LEFT JOIN taken t ON true ORDER BY t.run_id`,
};

const releaseStatement: Statement = {
  name: "lease_release",
  limit: "append",
  text: `
WITH mine AS (
  SELECT h.run_id FROM unnest($2::text[], $3::bigint[]) AS l (run_id, epoch)
  JOIN runledger.run_heads h ON h.run_id = l.run_id
  WHERE h.lease_owner = $1 AND h.lease_epoch = l.epoch
  ORDER BY h.run_id
  FOR UPDATE OF h
)
UPDATE runledger.run_heads h SET lease_owner = NULL FROM mine WHERE h.run_id = mine.run_id`,
};

const retireStatement: Statement = {
  name: "lease_retire",
  limit: "append",
  text: "DELETE FROM runledger.workers WHERE worker_id = $1",
};

const listStatement: Statement = {
  name: "lease_workers",
  text: `
SELECT clock_timestamp()::timestamptz(3), w.worker_id, w.expires_at, w.plan_ids, w.plan_versions, w.log_format,
  w.seen_at, w.tenants
FROM (SELECT 1) AS always LEFT JOIN runledger.workers w ON true ORDER BY w.worker_id`,
};

/** A shorter limit would give up statements of a server that is only busy. */
const LEAST_LIMIT_MS = 1000;

export async function heartbeat(
  db: Calls,
  params: {
    readonly workerId: string;
    readonly ttlMs: number;
    readonly plans?: readonly PlanRef[];
    readonly logFormat?: number;
    readonly tenants?: readonly string[];
  },
): Promise<{ now: string; expiresAt: string }> {
  const { workerId, ttlMs, plans, logFormat = null, tenants } = params;
  const ids = plans === undefined ? null : textArray(plans.map(({ planId }) => planId));
  const versions = plans === undefined ? null : textArray(plans.map(({ planVersion }) => planVersion));
  const rows = await db.write({ ...heartbeatStatement, atMostMs: Math.max(ttlMs / 4, LEAST_LIMIT_MS) }, [
    workerId,
    ttlMs,
    ids,
    versions,
    logFormat,
    tenants === undefined ? null : textArray(tenants),
  ]);
  const [now, expiresAt] = firstOf(rows);
  return { now: now as string, expiresAt: expiresAt as string };
}

export async function acquireLeases(
  db: Database,
  params: { readonly workerId: string; readonly runIds: readonly string[] },
): Promise<{ now: string; leases: Lease[] }> {
  const rows = await db.write(acquireStatement, [params.workerId, textArray(params.runIds)]);
  const leases = rows
    .filter(([, runId]) => runId !== null)
    .map(([, runId, epoch, takenFrom, headSeq]) => ({
      runId: runId as string,
      epoch: epoch as number,
      takenFrom: takenFrom as string | null,
      headSeq: headSeq as number,
    }));
  return { now: firstOf(rows)[0] as string, leases };
}

export async function releaseLeases(
  db: Database,
  params: { readonly workerId: string; readonly leases: readonly { readonly runId: string; readonly epoch: number }[] },
): Promise<void> {
  const runIds = textArray(params.leases.map((lease) => lease.runId));
  await db.write(releaseStatement, [params.workerId, runIds, numberArray(params.leases.map((lease) => lease.epoch))]);
}

export async function retireWorker(db: Database, workerId: string): Promise<void> {
  await db.write(retireStatement, [workerId]);
}

/** Always returns at least one row, for the time. It names no worker if there is none. */
export async function listWorkers(db: Database): Promise<{ now: string; workers: KnownWorker[] }> {
  const rows = await db.read(listStatement);
  return { now: firstOf(rows)[0] as string, workers: rows.filter(([, workerId]) => workerId !== null).map(toWorker) };
}

function toWorker([, workerId, expiresAt, planIds, versions, logFormat, seenAt, tenants]: Row): KnownWorker {
  const plans = (planIds as string[]).map((planId, index) => ({ planId, planVersion: (versions as string[])[index]! }));
  return {
    workerId: workerId as string,
    expiresAt: expiresAt as string,
    seenAt: seenAt as string | null,
    plans,
    logFormat: logFormat as number,
    ...(tenants === null ? {} : { tenants: tenants as string[] }),
  };
}
