import type { CanonicalEngineEvent } from "@runledger/contracts";
import { textArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const statement: Statement = {
  name: "fetch_by_keys",
  text: `
SELECT * FROM (
  SELECT ${eventColumns} FROM runledger.run_events WHERE run_id = $1 AND idempotency_key = ANY ($2::text[])
  UNION ALL
  SELECT ${eventColumns} FROM runledger.run_events_archive WHERE run_id = $1 AND idempotency_key = ANY ($2::text[])
) e
WHERE $3::text IS NULL OR EXISTS (SELECT FROM runledger.run_heads WHERE run_id = $1 AND tenant_id = $3)
ORDER BY run_seq`,
};

export async function fetchByKeys(
  db: Database,
  params: { readonly runId: string; readonly keys: readonly string[]; readonly tenantId: string | undefined },
): Promise<CanonicalEngineEvent[]> {
  const rows = await db.read(statement, [params.runId, textArray(params.keys), params.tenantId ?? null]);
  return rows.map(toEvent);
}
