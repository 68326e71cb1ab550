import type { RunHead } from "@runledger/contracts";
import { textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";

const columns =
  "run_id, tenant_id, head_seq, lease_epoch, lease_owner, persisted_at, archived_at IS NOT NULL, settled_seq";

const byId: Statement = {
  name: "fetch_heads",
  text: `
SELECT ${columns} FROM runledger.run_heads
WHERE run_id = ANY ($1::text[]) AND ($2::text IS NULL OR tenant_id = $2) ORDER BY run_id`,
};

/** Two statements, so that each uses its own index. */
const inLog: Statement = {
  name: "list_heads_in_log",
  text: `
SELECT ${columns} FROM runledger.run_heads
WHERE run_id > $1 AND archived_at IS NULL AND ($3::text IS NULL OR tenant_id = $3) ORDER BY run_id LIMIT $2`,
};

const all: Statement = {
  name: "list_heads",
  text: `
SELECT ${columns} FROM runledger.run_heads
WHERE run_id > $1 AND ($3::text IS NULL OR tenant_id = $3) ORDER BY run_id LIMIT $2`,
};

export async function fetchHeads(
  db: Database,
  params: { readonly runIds: readonly string[]; readonly tenantId: string | undefined },
): Promise<RunHead[]> {
  return (await db.read(byId, [textArray(params.runIds), params.tenantId ?? null])).map(toHead);
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
  const { afterRunId, limit, archived, tenantId } = params;
  return (await db.read(archived ? all : inLog, [afterRunId, limit, tenantId ?? null])).map(toHead);
}

function toHead([runId, tenantId, headSeq, leaseEpoch, leaseOwner, persistedAt, archived, settledSeq]: Row): RunHead {
  return {
    runId: runId as string,
    tenantId: tenantId as string,
    headSeq: headSeq as number,
    leaseEpoch: leaseEpoch as number,
    leaseOwner: leaseOwner as string | null,
    persistedAt: persistedAt as string,
    archived: archived as boolean,
    ...(settledSeq === null ? {} : { settledSeq: settledSeq as number }),
  };
}
