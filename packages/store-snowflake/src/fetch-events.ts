/**
 * Reads the log. A run is in the log or in the archive, never in both. One statement reads both, so that it does not
 * miss a run that is archived meanwhile. A scope whose tenant does not own the run finds nothing.
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import type { Call, Database, Row, Value } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const range = "WHERE RUN_ID = ? AND RUN_SEQ > ? AND RUN_SEQ <= ?";

const page = `
SELECT * FROM (
  SELECT ${eventColumns} FROM RUN_EVENTS ${range}
  UNION ALL
  SELECT ${eventColumns} FROM RUN_EVENTS_ARCHIVE ${range}
) e
WHERE CAST(? AS STRING) IS NULL OR EXISTS (SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = e.RUN_ID AND h.TENANT_ID = ?)
ORDER BY RUN_SEQ LIMIT ?`;

type Range = Omit<FetchParams, "limit">;

function valuesOf({ runId, afterSeq, toSeq, tenantId }: Range): Value[] {
  const [wanted, tenant] = [[runId, afterSeq, toSeq], tenantId ?? null];
  return [...wanted, ...wanted, tenant, tenant];
}

export async function fetchEvents(db: Database, params: FetchParams): Promise<CanonicalEngineEvent[]> {
  return (await db.read({ text: page, values: [...valuesOf(params), params.limit] })).map(toEvent);
}

/** Larger than in other stores: a warehouse answers one large query faster than many small ones. */
const MANY = 5000;

export async function* streamEvents(db: Database, params: Range): AsyncGenerator<CanonicalEngineEvent> {
  const behind = (last: Row | null): Call => {
    const afterSeq = last === null ? params.afterSeq : (last[1] as number);
    return { text: page, values: [...valuesOf({ ...params, afterSeq }), MANY] };
  };
  for await (const row of db.stream(MANY, behind)) yield toEvent(row);
}
