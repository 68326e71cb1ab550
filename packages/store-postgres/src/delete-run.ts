/**
 * Deletes an archived run (A5). One transaction removes everything by which the run is found; `sweepDeleted` removes its
 * events and artifacts afterwards, in small steps. A run that others need is set aside in its index row, until the
 * sweep of the last of them.
 */
import type { DeleteOutcome, NotDeleted } from "@runledger/contracts";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { removeProjection } from "./snapshots.js";

const lock: Statement = {
  name: "delete_lock",
  text: "SELECT archived_at IS NOT NULL FROM runledger.run_heads WHERE run_id = $1 FOR UPDATE",
};

/** The lock makes a parent's deletion wait until the child is set aside, so that its sweep finds the child. */
const parent: Statement = {
  name: "delete_parent",
  text: `
SELECT h.run_id FROM runledger.run_heads h
WHERE h.run_id = (SELECT summary -> 'parent' ->> 'runId' FROM runledger.run_index WHERE run_id = $1)
FOR KEY SHARE OF h`,
};

/** Forks that other code has started are found by their projections only. */
const forks: Statement = {
  name: "delete_forks",
  text: `
SELECT h.run_id FROM runledger.run_heads h
WHERE h.run_id IN (
  SELECT run_id FROM runledger.run_forks WHERE origin_id = $1
  UNION ALL
  SELECT run_id FROM runledger.run_snapshots WHERE header #>> '{fork,runId}' = $1
)
LIMIT 1 FOR KEY SHARE OF h`,
};

const undelivered: Statement = {
  name: "delete_undelivered",
  text: `
SELECT EXISTS (
  SELECT FROM runledger.subscriptions s JOIN runledger.deliveries d USING (number)
  WHERE d.run_id = $1 AND d.delivered_seq < d.head_seq AND NOT d.is_excluded AND d.dead_at IS NULL
)`,
};

const setAside: Statement = {
  name: "delete_set_aside",
  text: "UPDATE runledger.run_index SET retention = 2 WHERE run_id = $1",
};

/** Writes the tombstone and removes the rows that are found by the run's id alone. */
const bury: Statement = {
  name: "delete_bury",
  text: `
WITH head AS (
  DELETE FROM runledger.run_heads WHERE run_id = $1 RETURNING run_id, tenant_id
),
queued AS (
  DELETE FROM runledger.run_queue WHERE run_id = $1
),
used AS (
  UPDATE runledger.dataset_uses SET run_id = NULL WHERE run_id = $1
),
written AS (
  DELETE FROM runledger.dataset_writes WHERE run_id = $1
),
forked AS (
  DELETE FROM runledger.run_forks WHERE run_id = $1
),
checkpoint AS (
  DELETE FROM runledger.checkpoints WHERE run_id = $1
),
delivered AS (
  DELETE FROM runledger.deliveries d USING runledger.subscriptions s WHERE d.number = s.number AND d.run_id = $1
)
INSERT INTO runledger.deleted_runs AS d (run_id, tenant_id, fork_origin)
SELECT head.run_id, head.tenant_id,
  (SELECT header #>> '{fork,runId}' FROM runledger.run_snapshots s WHERE s.run_id = head.run_id)
FROM head
ON CONFLICT (run_id) DO UPDATE SET deleted_at = clock_timestamp(), swept_at = NULL`,
};

const indexed: Statement = {
  name: "delete_indexed",
  text: `
SELECT tenant_id, plan_id, project_id, environment_id, created_at FROM runledger.run_index WHERE run_id = $1`,
};

/** Removes counters of the run that are zero, in all statuses it had. Others may wait for locked ones; they stay. */
const emptyCounts: Statement = {
  name: "delete_counts",
  text: `
DELETE FROM runledger.run_counts c USING (
  SELECT tenant_id, level, bucket, plan_id, project_id, environment_id, status FROM runledger.run_counts
  WHERE tenant_id = $1 AND plan_id = $2 AND project_id = $3 AND environment_id = $4 AND runs = 0
    AND (level, bucket) IN (
      ('all', '-infinity'::timestamptz), ('day', date_trunc('day', $5::timestamptz, 'UTC')),
      ('hour', date_trunc('hour', $5::timestamptz, 'UTC')), ('minute', date_trunc('minute', $5::timestamptz, 'UTC'))
    )
  FOR UPDATE SKIP LOCKED
) AS empty
WHERE (c.tenant_id, c.level, c.bucket, c.plan_id, c.project_id, c.environment_id, c.status)
  = (empty.tenant_id, empty.level, empty.bucket, empty.plan_id, empty.project_id, empty.environment_id, empty.status)`,
};

export function deleteRun(db: Database, runId: string): Promise<DeleteOutcome> {
  return db.transaction((session) => remove(session, runId), { patient: true });
}

async function remove(session: Session, runId: string): Promise<DeleteOutcome> {
  const [head] = await session.run(lock, [runId]);
  if (head === undefined) return kept(runId, "absent");
  if (head[0] !== true) return kept(runId, "not-archived");
  const reason = await reasonToKeep(session, runId);
  if (reason === "child" || reason === "forked") await session.run(setAside, [runId]);
  if (reason !== null) return kept(runId, reason);
  const [row] = await session.run(indexed, [runId]);
  await session.run(bury, [runId]);
  await removeProjection(session, runId);
  if (row !== undefined) await session.run(emptyCounts, row);
  return { runId, deleted: true };
}

async function reasonToKeep(session: Session, runId: string): Promise<NotDeleted | null> {
  if ((await session.run(parent, [runId])).length > 0) return "child";
  if ((await session.run(forks, [runId])).length > 0) return "forked";
  return firstOf(await session.run(undelivered, [runId]))[0] === true ? "undelivered" : null;
}

function kept(runId: string, reason: NotDeleted): DeleteOutcome {
  return { runId, deleted: false, reason };
}
