import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Database } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const ofKeys = `
WHERE RUN_ID = ? AND IDEMPOTENCY_KEY IN (
  SELECT k.VALUE::STRING FROM (SELECT PARSE_JSON(?) AS ASKED) b, LATERAL FLATTEN(INPUT => b.ASKED) k)`;

const text = `
SELECT * FROM (
  SELECT ${eventColumns} FROM RUN_EVENTS ${ofKeys}
  UNION ALL
  SELECT ${eventColumns} FROM RUN_EVENTS_ARCHIVE ${ofKeys}
) e
WHERE CAST(? AS STRING) IS NULL OR EXISTS (SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = e.RUN_ID AND h.TENANT_ID = ?)
ORDER BY RUN_SEQ`;

export async function fetchByKeys(
  db: Database,
  params: { readonly runId: string; readonly keys: readonly string[]; readonly tenantId: string | undefined },
): Promise<CanonicalEngineEvent[]> {
  const { runId, keys, tenantId = null } = params;
  const wanted = [runId, JSON.stringify(keys)];
  return (await db.read({ text, values: [...wanted, ...wanted, tenantId, tenantId] })).map(toEvent);
}
