/** Projections as a header row and a row per step, written for what changed (F7). */
import type { Projection, RunHeader, RunSnapshot, StepRow } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import { textArray } from "./arrays.js";
import { type Database, type Statement } from "./client.js";
import { countChanges } from "./index-rows.js";

/** Header, head and steps from one snapshot of the database: they belong together. */
const whole: Statement = {
  name: "snapshot_get",
  text: `
SELECT s.header, h.head_seq,
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]') FROM runledger.run_steps t WHERE t.run_id = s.run_id)
FROM runledger.run_snapshots s JOIN runledger.run_heads h USING (run_id)
WHERE s.run_id = $1 AND ($2::text IS NULL OR h.tenant_id = $2)`,
};

const part: Statement = {
  name: "snapshot_read",
  text: `
SELECT s.header,
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]') FROM runledger.run_steps t
   WHERE t.run_id = s.run_id AND t.step_id = ANY ($2::text[]))
FROM runledger.run_snapshots s WHERE s.run_id = $1`,
};

const list: Statement = {
  name: "snapshot_list_steps",
  text: "SELECT step FROM runledger.run_steps WHERE run_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3",
};

const removeSteps: Statement = {
  name: "snapshot_remove_steps",
  text: "DELETE FROM runledger.run_steps WHERE run_id = $1",
};
const removeHeader: Statement = {
  name: "snapshot_remove",
  text: "DELETE FROM runledger.run_snapshots WHERE run_id = $1",
};

const removeIndex: Statement = {
  name: "snapshot_remove_index",
  text: `
WITH gone AS (
  DELETE FROM runledger.run_index WHERE run_id = $1 RETURNING *
),
unlabelled AS (
  DELETE FROM runledger.run_index_labels l USING gone g
  WHERE (l.tenant_id, l.created_at, l.run_id) = (g.tenant_id, g.created_at, g.run_id) AND l.label = ANY (g.labels)
)${countChanges("SELECT gone.*, -1 AS change FROM gone")}`,
};

export async function getSnapshot(
  db: Database,
  params: { readonly runId: string; readonly tenantId: string | undefined },
): Promise<RunSnapshot | null> {
  const [row] = await db.read(whole, [params.runId, params.tenantId ?? null]);
  if (row === undefined) return null;
  const [header, headSeq, steps] = row as [RunHeader, number, StepRow[]];
  const snapshot = toRunSnapshot(toRunState(header, steps));
  return headSeq > snapshot.lastEventSeq ? Object.freeze({ ...snapshot, stale: true }) : snapshot;
}

export async function readProjection(
  db: Database,
  params: { readonly runId: string; readonly stepIds: readonly string[] },
): Promise<Projection | null> {
  const [row] = await db.read(part, [params.runId, textArray(params.stepIds)]);
  return row === undefined ? null : { header: row[0] as RunHeader, steps: row[1] as StepRow[] };
}

export async function listSteps(
  db: Database,
  params: { readonly runId: string; readonly afterOrdinal: number; readonly limit: number },
): Promise<StepRow[]> {
  const rows = await db.read(list, [params.runId, params.afterOrdinal, params.limit]);
  return rows.map(([step]) => step as StepRow);
}

export async function deleteProjection(db: Database, runId: string): Promise<void> {
  await db.transaction(async (session) => {
    await session.run(removeHeader, [runId]); // first: it is what a concurrent save locks
    await session.run(removeSteps, [runId]);
    await session.run(removeIndex, [runId]);
  });
}
