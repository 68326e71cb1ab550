/** What a follower has not read yet of many runs, in one round trip. Each is in the log or in the archive. */
import type { CanonicalEngineEvent, RunWatermark } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const statement: Statement = {
  name: "fetch_events_of_runs",
  text: `
SELECT e.* FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (id, after_seq, place)
CROSS JOIN LATERAL (
  (SELECT ${eventColumns} FROM runledger.run_events
   WHERE run_id = r.id AND run_seq > r.after_seq ORDER BY run_seq LIMIT $3)
  UNION ALL
  (SELECT ${eventColumns} FROM runledger.run_events_archive
   WHERE run_id = r.id AND run_seq > r.after_seq ORDER BY run_seq LIMIT $3)
) e
ORDER BY r.place, e.run_seq`,
};

export async function fetchRuns(
  db: Database,
  runs: readonly RunWatermark[],
  limit: number,
): Promise<CanonicalEngineEvent[][]> {
  const ids = textArray(runs.map(({ runId }) => runId));
  const rows = await db.read(statement, [ids, numberArray(runs.map(({ afterSeq }) => afterSeq)), limit]);
  const byRun = new Map<string, CanonicalEngineEvent[]>(runs.map(({ runId }) => [runId, []]));
  for (const event of rows.map(toEvent)) byRun.get(event.runId)!.push(event);
  return runs.map(({ runId }) => byRun.get(runId)!);
}
