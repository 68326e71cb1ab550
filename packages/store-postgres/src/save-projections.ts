/** Saves folded headers, changed steps and index rows in one statement. */
import type { ProjectionChange } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Row, Session, Statement } from "./client.js";
import { countChanges, indexRowJson, rowColumns, rowTypes } from "./index-rows.js";

/**
 * The save is conditional on the watermark that was read, so a projector that was stopped and resumes cannot overwrite
 * newer data (F7). Headers are locked in id order, then counters, so that two projectors never deadlock. A projector
 * that holds the lock of a header at the watermark it read also sees the index row of that watermark. Most events
 * change no summary: such an index row is neither changed nor locked.
 */
const save: Statement = {
  name: "projections_save",
  text: `
WITH incoming AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::jsonb[], $11::integer[])
    AS p (run_id, status, last_event_seq, read_seq, header, generation)
),
locked AS (
  SELECT run_id FROM runledger.run_snapshots WHERE run_id = ANY ($1::text[]) ORDER BY run_id FOR UPDATE
),
updated AS (
  UPDATE runledger.run_snapshots s
  SET status = i.status, last_event_seq = i.last_event_seq, header = i.header, projected_at = clock_timestamp()
  FROM locked JOIN incoming i USING (run_id)
  WHERE s.run_id = locked.run_id AND s.last_event_seq = i.read_seq AND s.generation = i.generation
  RETURNING s.run_id
),
inserted AS (
  INSERT INTO runledger.run_snapshots (run_id, status, last_event_seq, header, generation)
  SELECT run_id, status, last_event_seq, header, generation FROM incoming
  WHERE read_seq = 0 ORDER BY run_id COLLATE "C"
  ON CONFLICT (run_id) DO NOTHING RETURNING run_id
),
saved AS (
  SELECT run_id FROM updated UNION ALL SELECT run_id FROM inserted
),
steps AS (
  INSERT INTO runledger.run_steps (run_id, ordinal, step_id, step)
  SELECT saved.run_id, t.ordinal, t.step_id, t.step
  FROM unnest($6::text[], $7::integer[], $8::text[], $9::jsonb[]) AS t (run_id, ordinal, step_id, step)
  JOIN saved USING (run_id)
  ON CONFLICT (run_id, step_id) DO UPDATE SET step = EXCLUDED.step
),
old AS (
  SELECT * FROM runledger.run_index WHERE run_id = ANY ($1::text[])
),
indexed AS (
  INSERT INTO runledger.run_index AS x (tenant_id, ${rowColumns})
  SELECT h.tenant_id, r.* FROM jsonb_to_recordset($10::jsonb) AS r (${rowTypes})
  JOIN saved ON saved.run_id = r.run_id JOIN runledger.run_heads h ON h.run_id = r.run_id
  WHERE NOT EXISTS (SELECT FROM old WHERE old.run_id = r.run_id AND old.summary = r.summary)
  ON CONFLICT (run_id) DO UPDATE SET (${rowColumns}) = (${rowColumns.replaceAll(/\w+/g, "EXCLUDED.$&")})
    WHERE x.summary <> EXCLUDED.summary
  RETURNING x.*
),
labeled AS (
  INSERT INTO runledger.run_index_labels (tenant_id, label, created_at, run_id)
  SELECT tenant_id, unnest(labels), created_at, run_id FROM indexed ON CONFLICT DO NOTHING
),
counted AS (${countChanges(`
  SELECT indexed.*, 1 AS change FROM indexed
  UNION ALL SELECT old.*, -1 FROM old JOIN indexed USING (run_id)`)}
)
SELECT run_id FROM saved`,
};

/** Returns for each change whether it was stored. A run has at most one change. */
export async function saveProjections(db: Database, changes: readonly ProjectionChange[]): Promise<boolean[]> {
  return savedOf(changes, await db.write(save, values(changes)));
}

/** Saves a change in a transaction that has locked or created the header. */
export async function saveProjectionIn(session: Session, change: ProjectionChange): Promise<void> {
  await session.run(save, values([change]));
}

function values(changes: readonly ProjectionChange[]): string[] {
  const headers = changes.map(({ header }) => header);
  const steps = changes.flatMap((change) => change.steps.map((step) => ({ runId: change.header.runId, step })));
  return [
    textArray(headers.map(({ runId }) => runId)),
    textArray(headers.map(({ status }) => status)),
    numberArray(headers.map(({ lastEventSeq }) => lastEventSeq)),
    numberArray(changes.map(({ readSeq }) => readSeq)),
    textArray(headers.map((header) => JSON.stringify(header))),
    textArray(steps.map(({ runId }) => runId)),
    numberArray(steps.map(({ step }) => step.ordinal)),
    textArray(steps.map(({ step }) => step.stepId)),
    textArray(steps.map(({ step }) => JSON.stringify(step))),
    JSON.stringify(headers.map(indexRowJson)),
    numberArray(changes.map(({ generation = 0 }) => generation)),
  ];
}

function savedOf(changes: readonly ProjectionChange[], rows: readonly Row[]): boolean[] {
  const saved = new Set(rows.map(([runId]) => runId as string));
  return changes.map(({ header }) => saved.has(header.runId));
}
