/** The datasets that completed steps have read and written. */
import type {
  DatasetDetails,
  DatasetIndex,
  DatasetRecord,
  DatasetSummary,
  DatasetWrite,
  LastUse,
} from "@runledger/contracts";
import { textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";

const incoming = `
incoming AS (
  SELECT h.tenant_id, r.* FROM jsonb_to_recordset($1::jsonb) AS r (namespace text, name text, is_write boolean, plan_id text,
    step_id text, run_id text, attempt text, used_at timestamptz, details jsonb)
  JOIN runledger.run_heads h ON h.run_id = r.run_id
)`;

/** Rows are locked in the order of their keys, so that two projectors never deadlock. */
const record: Statement = {
  name: "datasets_record",
  text: `
WITH ${incoming},
written AS (
  INSERT INTO runledger.dataset_writes (tenant_id, namespace, name, run_id, step_id, attempt, plan_id, written_at, details)
  SELECT tenant_id, namespace, name, run_id, step_id, attempt, plan_id, used_at, details FROM incoming WHERE is_write
  ORDER BY run_id COLLATE "C", step_id COLLATE "C", attempt COLLATE "C", namespace COLLATE "C", name COLLATE "C"
  ON CONFLICT DO NOTHING
)
INSERT INTO runledger.dataset_uses AS u (tenant_id, namespace, name, is_write, plan_id, step_id, run_id, attempt, used_at, details)
SELECT DISTINCT ON (tenant_id, namespace COLLATE "C", name COLLATE "C", is_write, plan_id COLLATE "C", step_id COLLATE "C")
  tenant_id, namespace, name, is_write, plan_id, step_id, run_id, attempt, used_at, details
FROM incoming
ORDER BY tenant_id, namespace COLLATE "C", name COLLATE "C", is_write, plan_id COLLATE "C", step_id COLLATE "C", used_at DESC
ON CONFLICT (tenant_id, namespace, name, is_write, plan_id, step_id) DO UPDATE
SET run_id = EXCLUDED.run_id, attempt = EXCLUDED.attempt, used_at = EXCLUDED.used_at, details = EXCLUDED.details
WHERE u.used_at <= EXCLUDED.used_at`,
};

const columns = "namespace, name, is_write, plan_id, step_id, run_id, attempt, used_at, details";

const list: Statement = {
  name: "datasets_list",
  text: `
WITH names AS (
  SELECT DISTINCT namespace, name FROM runledger.dataset_uses
  WHERE tenant_id = $1 AND (namespace, name) > ($2, $3) AND strpos(lower(name), lower($4)) > 0
  ORDER BY namespace, name LIMIT $5
)
SELECT n.namespace, n.name, w.* FROM names n
LEFT JOIN LATERAL (
  SELECT ${columns} FROM runledger.dataset_uses u
  WHERE u.tenant_id = $1 AND u.namespace = n.namespace AND u.name = n.name AND u.is_write
  ORDER BY used_at DESC LIMIT 1
) AS w ON true
ORDER BY n.namespace, n.name`,
};

const MAX_USES = 1000;

const usesOf: Statement = {
  name: "datasets_uses",
  text: `
SELECT ${columns} FROM runledger.dataset_uses WHERE tenant_id = $1 AND namespace = $2 AND name = $3
ORDER BY used_at DESC LIMIT ${MAX_USES}`,
};

const usesBySteps: Statement = {
  name: "datasets_by_steps",
  text: `
SELECT ${columns} FROM runledger.dataset_uses
WHERE tenant_id = $1 AND (plan_id, step_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
ORDER BY namespace, name LIMIT ${MAX_USES}`,
};

const writeColumns = "namespace, name, true, plan_id, step_id, run_id, attempt, written_at, details, recorded_at";

const writes: Statement = {
  name: "datasets_writes",
  text: `
SELECT ${writeColumns} FROM runledger.dataset_writes WHERE tenant_id = $1 AND namespace = $2 AND name = $3
ORDER BY recorded_at DESC LIMIT $4`,
};

const untaken: Statement = {
  name: "datasets_untaken",
  text: `
SELECT ${writeColumns} FROM runledger.dataset_writes
WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND recorded_at >= $4::timestamptz AND NOT taken @> ARRAY[$5::text]
ORDER BY recorded_at LIMIT 100`,
};

const take: Statement = {
  name: "datasets_take",
  text: `
UPDATE runledger.dataset_writes SET taken = array_append(taken, $7::text)
WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND run_id = $4 AND step_id = $5 AND attempt = $6
  AND NOT taken @> ARRAY[$7::text]`,
};

export function datasets(db: Database): DatasetIndex {
  return {
    recordDatasets: async (records) => {
      if (records.length > 0) await db.write(record, [JSON.stringify(records.map(rowOf))]);
    },
    listDatasets: async ({ tenantId, text = "", after, limit = 100 }) =>
      (await db.read(list, [tenantId, after?.namespace ?? "", after?.name ?? "", text, limit])).map(toSummary),
    usesOf: async ({ tenantId, namespace, name }) => (await db.read(usesOf, [tenantId, namespace, name])).map(toUse),
    usesBySteps: async ({ tenantId, steps }) => {
      const [plans, ids] = [steps.map(({ planId }) => planId), steps.map(({ stepId }) => stepId)];
      return (await db.read(usesBySteps, [tenantId, textArray(plans), textArray(ids)])).map(toUse);
    },
    listWrites: async ({ tenantId, namespace, name, limit = 20 }) =>
      (await db.read(writes, [tenantId, namespace, name, limit])).map(toWrite),
    untakenWrites: async ({ tenantId, namespace, name, recordedFrom, triggerId }) =>
      (await db.read(untaken, [tenantId, namespace, name, recordedFrom, triggerId])).map(toWrite),
    takeWrite: async ({ tenantId, namespace, name, runId, stepId, attempt, triggerId }) =>
      void (await db.write(take, [tenantId, namespace, name, runId, stepId, attempt, triggerId])),
  };
}

function rowOf({ access, planId, stepId, runId, attempt, at, ...rest }: DatasetRecord): object {
  const ids = { plan_id: planId, step_id: stepId, run_id: runId };
  return { ...rest, ...ids, is_write: access === "write", attempt, used_at: at };
}

function toUse(row: Row): LastUse {
  const [namespace, name, isWrite, planId, stepId, runId, attempt, at, details] = row;
  return {
    namespace: namespace as string,
    name: name as string,
    access: isWrite === true ? "write" : "read",
    planId: planId as string,
    stepId: stepId as string,
    runId: runId as string | null,
    attempt: attempt as string,
    at: at as string,
    details: details as DatasetDetails,
  };
}

function toSummary(row: Row): DatasetSummary {
  const [namespace, name, ...write] = row as [string, string, ...unknown[]];
  return { namespace, name, lastWrite: write[0] === null ? null : toUse(write) };
}

function toWrite(row: Row): DatasetWrite {
  return { ...toUse(row), runId: row[5] as string, recordedAt: row[9] as string };
}
