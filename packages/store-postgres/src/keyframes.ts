/** Copies projections to keyframes inside the database, so that no data travels. */
import type { Projection, RunHeader, StepRow } from "@runledger/contracts";
import { KEYFRAME_EVERY } from "@runledger/core/store";
import { textArray } from "./arrays.js";
import type { Database, Session, Statement } from "./client.js";

/** Reads header and steps from one snapshot of the database, because they belong together. */
const make: Statement = {
  name: "keyframes_make",
  text: `
INSERT INTO runledger.run_keyframes (run_id, seq, header, steps)
SELECT s.run_id, s.last_event_seq, s.header - 'stale',
  (SELECT coalesce(jsonb_agg(t.step ORDER BY t.ordinal), '[]') FROM runledger.run_steps t WHERE t.run_id = s.run_id)
FROM runledger.run_snapshots s
WHERE s.run_id = ANY ($1::text[]) AND s.last_event_seq
  - coalesce((SELECT max(k.seq) FROM runledger.run_keyframes k WHERE k.run_id = s.run_id), 0)
  >= greatest($2::bigint, (s.header ->> 'stepCount')::bigint)
ON CONFLICT DO NOTHING`,
};

const load: Statement = {
  name: "keyframe_load",
  text: `
SELECT header, steps FROM runledger.run_keyframes WHERE run_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
};

const list: Statement = {
  name: "keyframes_list",
  text: "SELECT seq FROM runledger.run_keyframes WHERE run_id = $1 ORDER BY seq",
};

const put: Statement = {
  name: "keyframe_put",
  text: "INSERT INTO runledger.run_keyframes (run_id, seq, header, steps) VALUES ($1, $2, $3, $4)",
};

export async function makeKeyframes(db: Database, runIds: readonly string[]): Promise<void> {
  await db.write(make, [textArray(runIds), KEYFRAME_EVERY]);
}

export async function loadKeyframe(
  db: Database,
  { runId, atSeq }: { readonly runId: string; readonly atSeq: number },
): Promise<Projection | null> {
  const [row] = await db.read(load, [runId, atSeq]);
  return row === undefined ? null : { header: row[0] as RunHeader, steps: row[1] as StepRow[] };
}

export async function listKeyframes(db: Database, runId: string): Promise<number[]> {
  return (await db.read(list, [runId])).map(([seq]) => seq as number);
}

export async function putKeyframe(session: Session, { header, steps }: Projection): Promise<void> {
  await session.run(put, [header.runId, header.lastEventSeq, JSON.stringify(header), JSON.stringify(steps)]);
}
