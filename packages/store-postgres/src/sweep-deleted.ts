/** Removes the events and artifacts of deleted runs in steps of bounded size. A step that was interrupted is repeated. */
import { STORE_SCHEME } from "@runledger/contracts";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { indexText } from "./index-rows.js";

const EVENTS = 2000;
/** At most 1 MB each. */
const CHUNKS = 16;
const CHILDREN = 1000;

/** Another process may sweep the next run meanwhile. */
const next: Statement = {
  name: "sweep_next",
  text: `
SELECT run_id, tenant_id, fork_origin FROM runledger.deleted_runs WHERE swept_at IS NULL
ORDER BY run_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

const events: Statement = {
  name: "sweep_events",
  text: `
WITH gone AS (
  DELETE FROM runledger.run_events_archive WHERE run_id = $1 AND run_seq < (
    SELECT min(run_seq) + ${EVENTS} FROM runledger.run_events_archive WHERE run_id = $1
  ) RETURNING 1
)
SELECT count(*) FROM gone`,
};

const chunks: Statement = {
  name: "sweep_chunks",
  text: `
WITH gone AS (
  DELETE FROM runledger.artifact_chunks WHERE (artifact_id, chunk) IN (
    SELECT c.artifact_id, c.chunk FROM runledger.artifacts a JOIN runledger.artifact_chunks c USING (artifact_id)
    WHERE a.run_id = $1 LIMIT ${CHUNKS}
  ) RETURNING 1
)
SELECT count(*) FROM gone`,
};

const artifacts: Statement = {
  name: "sweep_artifacts",
  text: `
WITH expired AS (DELETE FROM runledger.expired_artifacts WHERE run_id = $1)
DELETE FROM runledger.artifacts WHERE run_id = $1`,
};

/** Its children can be deleted now. */
const releaseChildren: Statement = {
  name: "sweep_release_children",
  text: `
WITH freed AS (
  UPDATE runledger.run_index SET retention = 1 WHERE run_id IN (
    SELECT run_id FROM runledger.run_index WHERE tenant_id = $1 AND parent_run_id = $2 AND retention = 2
    LIMIT ${CHILDREN}
  ) RETURNING 1
)
SELECT count(*) FROM freed`,
};

/** Its origin can be deleted now. Another fork of it sets it aside again. */
const releaseOrigin: Statement = {
  name: "sweep_release_origin",
  text: "UPDATE runledger.run_index SET retention = 1 WHERE run_id = $1 AND retention = 2",
};

const done: Statement = {
  name: "sweep_done",
  text: "UPDATE runledger.deleted_runs SET swept_at = clock_timestamp() WHERE run_id = $1",
};

/** An expired artifact whose content is in the store (A8). */
const nextExpired: Statement = {
  name: "sweep_next_expired",
  text: `
SELECT artifact_id FROM runledger.expired_artifacts
WHERE swept_at IS NULL AND uri > '${STORE_SCHEME}' AND uri < 'store:/0'
ORDER BY uri LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

const expiredChunks: Statement = {
  name: "sweep_expired_chunks",
  text: `
WITH gone AS (
  DELETE FROM runledger.artifact_chunks WHERE artifact_id = $1 AND chunk < (
    SELECT min(chunk) + ${CHUNKS} FROM runledger.artifact_chunks WHERE artifact_id = $1
  ) RETURNING 1
)
SELECT count(*) FROM gone`,
};

const expiredDone: Statement = {
  name: "sweep_expired_done",
  text: "UPDATE runledger.expired_artifacts SET swept_at = clock_timestamp() WHERE artifact_id = $1",
};

export async function sweepDeleted(db: Database): Promise<boolean> {
  return (await db.transaction(sweep)) || (await db.transaction(sweepExpired));
}

async function sweepExpired(session: Session): Promise<boolean> {
  const [found] = await session.run(nextExpired);
  if (found === undefined) return false;
  const [removed] = firstOf(await session.run(expiredChunks, [found[0]]));
  if ((removed as number) < CHUNKS) await session.run(expiredDone, [found[0]]);
  return true;
}

async function sweep(session: Session): Promise<boolean> {
  const [found] = await session.run(next);
  if (found === undefined) return false;
  const [runId, tenantId, origin] = found as [string, string, string | null];
  const isPart = async (statement: Statement, values: readonly string[]): Promise<boolean> =>
    (firstOf(await session.run(statement, values))[0] as number) > 0;
  for (const part of [events, chunks]) if (await isPart(part, [runId])) return true;
  if (await isPart(releaseChildren, [tenantId, indexText(runId)])) return true;
  await session.run(artifacts, [runId]);
  if (origin !== null) await session.run(releaseOrigin, [origin]);
  await session.run(done, [runId]);
  return true;
}
