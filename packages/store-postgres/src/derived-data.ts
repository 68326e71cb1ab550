/** Reads and replaces derived data as it is stored, to verify or rebuild it. */
import type { Checkpoint, DerivedRun, Json, QueuePlace, Rebuilt, RunHeader, StepRow } from "@runledger/contracts";
import { firstOf, type Database, type Session, type Statement } from "./client.js";
import { indexRowJson, rowCounts } from "./index-rows.js";
import { putKeyframe } from "./keyframes.js";
import { saveProjectionIn } from "./save-projections.js";
import { removeProjection } from "./snapshots.js";

/** One statement, so one moment. The index row is printed independently of session settings. */
const read: Statement = {
  name: "derived_read",
  text: `
SELECT
  CASE WHEN h.run_id IS NOT NULL THEN jsonb_build_object(
    'tenantId', h.tenant_id, 'headSeq', h.head_seq, 'archived', h.archived_at IS NOT NULL) END,
  s.header,
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]') FROM runledger.run_steps t WHERE t.run_id = r.run_id),
  CASE WHEN k.run_id IS NOT NULL THEN jsonb_build_object(
    'runId', k.run_id, 'seq', k.seq, 'format', k.format, 'data', k.data, 'checksum', k.checksum) END,
  CASE WHEN q.run_id IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
    'tenantId', q.tenant_id, 'planId', q.plan_id, 'planVersion', q.plan_version, 'logFormat', q.log_format,
    'priority', q.priority, 'projectId', q.project_id, 'concurrencyKey', q.concurrency_key)) END,
  CASE WHEN i.run_id IS NOT NULL THEN (to_jsonb(i) - 'retention') || jsonb_build_object(
    'created_at', to_char(i.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'posted', (SELECT coalesce(jsonb_agg(l.label ORDER BY l.label), '[]') FROM runledger.run_index_labels l
      WHERE l.tenant_id = i.tenant_id AND l.created_at = i.created_at AND l.run_id = i.run_id AND l.label = ANY (i.labels))) END
FROM (SELECT $1::text AS run_id) AS r
LEFT JOIN runledger.run_heads h USING (run_id)
LEFT JOIN runledger.run_snapshots s USING (run_id)
LEFT JOIN runledger.checkpoints k USING (run_id)
LEFT JOIN runledger.run_queue q USING (run_id)
LEFT JOIN runledger.run_index i USING (run_id)`,
};

const list: Statement = {
  name: "derived_list",
  text: `
(SELECT run_id FROM runledger.run_snapshots WHERE run_id > $1 ORDER BY run_id LIMIT $2)
UNION (SELECT run_id FROM runledger.run_index WHERE run_id > $1 ORDER BY run_id LIMIT $2)
UNION (SELECT DISTINCT run_id FROM runledger.run_steps WHERE run_id > $1 ORDER BY run_id LIMIT $2)
ORDER BY run_id LIMIT $2`,
};

/**
 * Makes sure that there is a row to lock: a projector that creates the first one at this moment waits, and is then
 * refused.
 */
const reserve: Statement = {
  name: "derived_reserve",
  text: `
INSERT INTO runledger.run_snapshots (run_id, status, last_event_seq, header, generation) VALUES ($1, '', 0, '{}', -1)
ON CONFLICT DO NOTHING`,
};

const lock: Statement = {
  name: "derived_lock",
  text: "SELECT last_event_seq, generation FROM runledger.run_snapshots WHERE run_id = $1 FOR UPDATE",
};

/** Events of earlier versions have no hash. An erased event has the hash of the content that is left (A6). */
const changed: Statement = {
  name: "derived_changed",
  text: `
SELECT run_seq FROM (
  SELECT * FROM runledger.run_events WHERE run_id = $1
  UNION ALL SELECT * FROM runledger.run_events_archive WHERE run_id = $1
) AS e
WHERE coalesce(erased_hash, content_hash)
  <> runledger.event_hash(run_seq, event_id, emitted_at, persisted_at, caused_by_signal_id, event_data)
ORDER BY run_seq`,
};

const wrong: Statement = {
  name: "counts_wrong",
  text: `
SELECT count(*) FROM (${rowCounts}) AS is_so
FULL JOIN runledger.run_counts c USING (tenant_id, level, bucket, plan_id, project_id, environment_id, status)
WHERE coalesce(is_so.runs, 0) <> coalesce(c.runs, 0)`,
};

export async function readDerived(db: Database, runId: string): Promise<DerivedRun> {
  const [head, header, steps, checkpoint, place, indexRow] = firstOf(await db.read(read, [runId])) as [
    DerivedRun["head"],
    RunHeader | null,
    StepRow[],
    Checkpoint | null,
    (QueuePlace & { tenantId: string }) | null,
    Json,
  ];
  return { head, header, steps, checkpoint, place, indexRow };
}

export function expectedIndexRow(header: RunHeader, tenantId: string): Json {
  const row = indexRowJson(header) as { readonly labels: readonly string[] };
  const posted = [...row.labels].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return { ...row, tenant_id: tenantId, posted };
}

export async function listDerived(
  db: Database,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): Promise<string[]> {
  return (await db.read(list, [afterRunId, limit])).map(([runId]) => runId as string);
}

export function replaceProjection(db: Database, rebuilt: Rebuilt): Promise<boolean> {
  return db.transaction((session) => replaceIn(session, rebuilt), { patient: true });
}

/** Replaces a projection in a transaction. */
export async function replaceIn(session: Session, { header, steps, keyframes }: Rebuilt): Promise<boolean> {
  const { runId, lastEventSeq } = header;
  await session.run(reserve, [runId]);
  const [storedSeq, generation] = firstOf(await session.run(lock, [runId])) as [number, number];
  if (storedSeq > lastEventSeq) return false;
  await removeProjection(session, runId);
  await saveProjectionIn(session, { readSeq: 0, generation: generation + 1, header, steps });
  for (const keyframe of keyframes) await putKeyframe(session, keyframe);
  return true;
}

export async function changedEvents(db: Database, runId: string): Promise<number[]> {
  return (await db.read(changed, [runId])).map(([runSeq]) => runSeq as number);
}

export async function wrongCounts(db: Database): Promise<number> {
  const rows = await db.transaction((session) => session.run(wrong), { patient: true });
  return firstOf(rows)[0] as number;
}

/** Locks the index: writers of index rows wait until the rows are counted. */
export async function recount(db: Database): Promise<void> {
  const count = async (session: Session): Promise<void> => {
    await session.run({ name: "counts_lock", text: "LOCK TABLE runledger.run_counts IN EXCLUSIVE MODE" });
    await session.run({ name: "counts_clear", text: "DELETE FROM runledger.run_counts" });
    await session.run({ name: "counts_again", text: `INSERT INTO runledger.run_counts ${rowCounts}` });
  };
  await db.transaction(count, { patient: true });
}
