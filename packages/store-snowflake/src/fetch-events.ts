/**
 * Reading the log. A run is in the log or in the archive, never in both; one statement reads whichever it is, so that a
 * run that is archived meanwhile is not missed. A scope whose tenant does not own the run finds nothing.
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import type { Call, Database } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const range = "WHERE RUN_ID = ? AND RUN_SEQ > ? AND RUN_SEQ <= ?";

const text = `
SELECT * FROM (
  SELECT ${eventColumns} FROM RUN_EVENTS ${range}
  UNION ALL
  SELECT ${eventColumns} FROM RUN_EVENTS_ARCHIVE ${range}
) e
WHERE CAST(? AS STRING) IS NULL OR EXISTS (SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = e.RUN_ID AND h.TENANT_ID = ?)
ORDER BY RUN_SEQ LIMIT ?`;

function call({ runId, afterSeq, toSeq, limit, tenantId }: FetchParams): Call {
  const [wanted, tenant] = [[runId, afterSeq, toSeq], tenantId ?? null];
  return { text, values: [...wanted, ...wanted, tenant, tenant, limit] };
}

export async function fetchEvents(db: Database, params: FetchParams): Promise<CanonicalEngineEvent[]> {
  return (await db.read(call(params))).map(toEvent);
}
