/** Ownership of runs (O1, P4). Every time in here is the server's. */
import type { Lease } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import { firstOf, type Database, type Statement } from "./client.js";

const heartbeatStatement: Statement = {
  name: "lease_heartbeat",
  text: `
INSERT INTO runledger.workers (worker_id, expires_at) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
ON CONFLICT (worker_id) DO UPDATE SET expires_at = EXCLUDED.expires_at
RETURNING clock_timestamp()::timestamptz(3), expires_at`,
};

/** A worker without a row has retired; what it still seems to own is free. A worker's own run keeps its epoch. */
const acquireStatement: Statement = {
  name: "lease_acquire",
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
  text: "DELETE FROM runledger.workers WHERE worker_id = $1",
};

export async function heartbeat(
  db: Database,
  params: { readonly workerId: string; readonly ttlMs: number },
): Promise<{ now: string; expiresAt: string }> {
  const [now, expiresAt] = firstOf(await db.write(heartbeatStatement, [params.workerId, params.ttlMs]));
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
