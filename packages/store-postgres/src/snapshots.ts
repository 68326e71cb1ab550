/** Projections as a header row and a row per step, written for what changed (F7). */
import type { Projection, RunHeader, RunSnapshot, StepRow } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import type { Database, Session, Statement } from "./client.js";
import { countChanges } from "./index-rows.js";

/** Reads header, head and steps from one snapshot of the database, because they belong together. */
const whole: Statement = {
  name: "snapshot_get",
  text: `
SELECT s.header, h.head_seq,
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]') FROM runledger.run_steps t WHERE t.run_id = s.run_id)
FROM runledger.run_snapshots s JOIN runledger.run_heads h USING (run_id)
WHERE s.run_id = $1 AND ($2::text IS NULL OR h.tenant_id = $2)`,
};

/** Returns a row for every requested run, stored or not. */
const parts: Statement = {
  name: "snapshots_read",
  text: `
SELECT s.header, s.generation,
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]')
   FROM jsonb_array_elements_text(p.wanted -> 'stepIds') AS asked (step_id)
   JOIN runledger.run_steps t ON t.run_id = s.run_id AND t.step_id = asked.step_id)
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS p (wanted, place)
LEFT JOIN runledger.run_snapshots s ON s.run_id = p.wanted ->> 'runId'
ORDER BY p.place`,
};

const stale: Statement = {
  name: "snapshots_stale",
  text: `
SELECT run_id FROM runledger.run_snapshots
WHERE header @> '{"stale": true}' AND run_id > $1 ORDER BY run_id LIMIT $2`,
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

const removeKeyframes: Statement = {
  name: "snapshot_remove_keyframes",
  text: "DELETE FROM runledger.run_keyframes WHERE run_id = $1",
};

const removeIndex: Statement = {
  name: "snapshot_remove_index",
  text: `
WITH gone AS (
  DELETE FROM runledger.run_index WHERE run_id = $1 RETURNING *
),
unlabeled AS (
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

export async function readProjections(
  db: Database,
  params: readonly { readonly runId: string; readonly stepIds: readonly string[] }[],
): Promise<(Projection | null)[]> {
  const asked = params.map(({ runId, stepIds }) => ({ runId, stepIds: [...new Set(stepIds)] }));
  const rows = await db.read(parts, [JSON.stringify(asked)]);
  return rows.map(([header, generation, steps]) => {
    if (header === null) return null;
    const rebuilt = generation === 0 ? {} : { generation: generation as number };
    return { header: header as RunHeader, steps: steps as StepRow[], ...rebuilt };
  });
}

export async function listStale(
  db: Database,
  params: { readonly afterRunId: string; readonly limit: number },
): Promise<string[]> {
  return (await db.read(stale, [params.afterRunId, params.limit])).map(([runId]) => runId as string);
}

export async function listSteps(
  db: Database,
  params: { readonly runId: string; readonly afterOrdinal: number; readonly limit: number },
): Promise<StepRow[]> {
  const rows = await db.read(list, [params.runId, params.afterOrdinal, params.limit]);
  return rows.map(([step]) => step as StepRow);
}

export function deleteProjection(db: Database, runId: string): Promise<void> {
  return db.transaction((session) => removeProjection(session, runId));
}

/** Deletes the header first, because a concurrent save locks it. */
export async function removeProjection(session: Session, runId: string): Promise<void> {
  for (const statement of [removeHeader, removeSteps, removeIndex, removeKeyframes])
    await session.run(statement, [runId]);
}
