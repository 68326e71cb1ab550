import type { RunHead } from "@runledger/contracts";
import type { Database, Row } from "./client.js";
import { isoInstant } from "./instants.js";

const columns = "RUN_ID, TENANT_ID, HEAD_SEQ, LEASE_EPOCH, LEASE_OWNER, PERSISTED_AT, ARCHIVED_AT IS NOT NULL";
const ofTenant = "(CAST(? AS STRING) IS NULL OR TENANT_ID = ?)";

const byId = `
SELECT ${columns} FROM RUN_HEADS
WHERE RUN_ID IN (SELECT k.VALUE::STRING FROM (SELECT PARSE_JSON(?) AS ASKED) b, LATERAL FLATTEN(INPUT => b.ASKED) k)
  AND ${ofTenant} ORDER BY RUN_ID`;

const inLog = `
SELECT ${columns} FROM RUN_HEADS
WHERE RUN_ID > ? AND ARCHIVED_AT IS NULL AND ${ofTenant} ORDER BY RUN_ID LIMIT ?`;

const all = `
SELECT ${columns} FROM RUN_HEADS WHERE RUN_ID > ? AND ${ofTenant} ORDER BY RUN_ID LIMIT ?`;

export async function fetchHeads(
  db: Database,
  params: { readonly runIds: readonly string[]; readonly tenantId: string | undefined },
): Promise<RunHead[]> {
  const { runIds, tenantId = null } = params;
  return (await db.read({ text: byId, values: [JSON.stringify(runIds), tenantId, tenantId] })).map(toHead);
}

export async function listHeads(
  db: Database,
  params: {
    readonly afterRunId: string;
    readonly limit: number;
    readonly archived: boolean;
    readonly tenantId: string | undefined;
  },
): Promise<RunHead[]> {
  const { afterRunId, limit, archived, tenantId = null } = params;
  const call = { text: archived ? all : inLog, values: [afterRunId, tenantId, tenantId, limit] };
  return (await db.read(call)).map(toHead);
}

function toHead([runId, tenantId, headSeq, leaseEpoch, leaseOwner, persistedAt, archived]: Row): RunHead {
  return {
    runId: runId as string,
    tenantId: tenantId as string,
    headSeq: headSeq as number,
    leaseEpoch: leaseEpoch as number,
    leaseOwner: leaseOwner as string | null,
    persistedAt: isoInstant(persistedAt),
    archived: archived as boolean,
  };
}
