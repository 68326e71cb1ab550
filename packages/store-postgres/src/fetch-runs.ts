/** Reads the new events of many runs for a follower, in one round trip. Each run is in the log or in the archive. */
import { MAX_EVENT_BYTES, type CanonicalEngineEvent, type RunWatermark } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

/**
 * The size of a payload without reading it. A compressed payload counts as ten times its stored size: exact sizes would
 * cost as much as reading the events.
 */
const payloadBytes = `CASE WHEN pg_column_compression(e.event_data) IS NULL THEN pg_column_size(e.event_data)
    ELSE least(10 * pg_column_size(e.event_data), ${MAX_EVENT_BYTES}) END`;

const statement: Statement = {
  name: "fetch_events_of_runs",
  text: `
SELECT * FROM (
  SELECT e.*, r.place, sum(${payloadBytes})
    OVER (ORDER BY r.place, e.run_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (id, after_seq, place)
  CROSS JOIN LATERAL (
    (SELECT ${eventColumns} FROM runledger.run_events
     WHERE run_id = r.id AND run_seq > r.after_seq ORDER BY run_seq LIMIT $3)
    UNION ALL
    (SELECT ${eventColumns} FROM runledger.run_events_archive
     WHERE run_id = r.id AND run_seq > r.after_seq ORDER BY run_seq LIMIT $3)
  ) e
) AS sized
WHERE bytes_before IS NULL OR bytes_before < $4::bigint
ORDER BY place, run_seq`,
};

export async function fetchRuns(
  db: Database,
  runs: readonly RunWatermark[],
  limit: number,
  maxBytes: number,
): Promise<CanonicalEngineEvent[][]> {
  const ids = textArray(runs.map(({ runId }) => runId));
  const afterSeqs = numberArray(runs.map(({ afterSeq }) => afterSeq));
  const rows = await db.read(statement, [ids, afterSeqs, limit, maxBytes]);
  const byRun = new Map<string, CanonicalEngineEvent[]>(runs.map(({ runId }) => [runId, []]));
  for (const event of rows.map(toEvent)) byRun.get(event.runId)!.push(event);
  return runs.map(({ runId }) => byRun.get(runId)!);
}
