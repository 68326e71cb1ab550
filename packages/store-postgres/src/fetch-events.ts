import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import type { Database, Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

/**
 * A run is in the log or in the archive, never in both; one statement reads whichever it is, so that a run that is
 * archived meanwhile is not missed; each half ends at its own limit, so that no page reads the rest of the run. A scope whose tenant does not own the run finds nothing.
 */
const statement: Statement = {
  name: "fetch_events",
  text: `
SELECT * FROM (
  (SELECT ${eventColumns} FROM runledger.run_events
   WHERE run_id = $1 AND run_seq > $2 AND run_seq <= $3 ORDER BY run_seq LIMIT $4)
  UNION ALL
  (SELECT ${eventColumns} FROM runledger.run_events_archive
   WHERE run_id = $1 AND run_seq > $2 AND run_seq <= $3 ORDER BY run_seq LIMIT $4)
) e
WHERE $5::text IS NULL OR EXISTS (SELECT FROM runledger.run_heads WHERE run_id = $1 AND tenant_id = $5)
ORDER BY run_seq LIMIT $4`,
};

export async function fetchEvents(db: Database, params: FetchParams): Promise<CanonicalEngineEvent[]> {
  const { runId, afterSeq, toSeq, limit, tenantId } = params;
  const rows = await db.read(statement, [runId, afterSeq, toSeq, limit, tenantId ?? null]);
  return rows.map(toEvent);
}
