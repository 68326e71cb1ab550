/** Retention policies, and the runs that they make due. Every query reads a bounded part of one index. */
import type { RetentionPolicy, RetentionStore } from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";
import { deleteRun } from "./delete-run.js";
import { purge } from "./purge.js";
import { sweepDeleted } from "./sweep-deleted.js";

const set: Statement = {
  name: "retention_set",
  text: `
INSERT INTO runledger.retention_policies (kind, tenant_id, workflow_id, archive_after_ms, delete_after_ms)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (kind, tenant_id, workflow_id)
  DO UPDATE SET archive_after_ms = EXCLUDED.archive_after_ms, delete_after_ms = EXCLUDED.delete_after_ms`,
};

const remove: Statement = {
  name: "retention_remove",
  text: `
DELETE FROM runledger.retention_policies WHERE kind = $1 AND tenant_id = $2 AND workflow_id = $3 RETURNING kind`,
};

const list: Statement = {
  name: "retention_list",
  text: `
SELECT kind, tenant_id, workflow_id, archive_after_ms, delete_after_ms FROM runledger.retention_policies
ORDER BY kind, tenant_id, workflow_id`,
};

const finished = "status IN ('COMPLETED', 'FAILED', 'CANCELLED')";

/** Skips through the index from group to group, so its cost does not depend on the number of runs. */
const groups: Statement = {
  name: "retention_groups",
  text: `
WITH RECURSIVE found (tenant_id, plan_id, place) AS (
  (
    SELECT tenant_id, plan_id, 1 FROM runledger.run_index
    WHERE ${finished} AND (tenant_id, plan_id) >= ($1, $2) AND ($3::text IS NULL OR tenant_id = $3)
    ORDER BY tenant_id, plan_id LIMIT 1
  )
  UNION ALL
  SELECT next.tenant_id, next.plan_id, found.place + 1
  FROM found CROSS JOIN LATERAL (
    SELECT tenant_id, plan_id FROM runledger.run_index
    WHERE ${finished} AND (tenant_id, plan_id) > (found.tenant_id, found.plan_id)
      AND ($3::text IS NULL OR tenant_id = $3)
    ORDER BY tenant_id, plan_id LIMIT 1
  ) AS next
  WHERE found.place < $4
)
SELECT tenant_id, plan_id FROM found`,
};

const due: Statement = {
  name: "retention_due",
  text: `
SELECT run_id, (summary ->> 'completedAt') COLLATE "C" FROM runledger.run_index
WHERE ${finished} AND tenant_id = $1 AND plan_id = $2 AND retention = $3
  AND (summary ->> 'completedAt') COLLATE "C" <
    to_char((clock_timestamp() - $4::float8 * interval '1 ms') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  AND ((summary ->> 'completedAt') COLLATE "C", run_id) > ($5, $6)
ORDER BY (summary ->> 'completedAt') COLLATE "C", run_id LIMIT $7`,
};

const hold: Statement = {
  name: "retention_hold",
  text: "UPDATE runledger.run_index SET retention = 2 WHERE run_id = $1",
};

/** Makes an id the smallest text after itself: ids have no control characters (K3). */
const NEXT = "\u0001";

/** @param clean Removes what the append authority keeps for finished runs. */
export function retention(db: Database, clean: () => Promise<unknown> = async () => {}): RetentionStore {
  return {
    setPolicy: async ({ kind, tenantId, workflowId, archiveAfterMs, deleteAfterMs }) =>
      void (await db.write(set, [kind, tenantId, workflowId, archiveAfterMs, deleteAfterMs])),
    removePolicy: async ({ kind, tenantId, workflowId }) =>
      (await db.write(remove, [kind, tenantId, workflowId])).length > 0,
    listPolicies: async () => (await db.read(list)).map(toPolicy),
    listGroups: async ({ tenantId = null, after = null, limit = 1000 } = {}) => {
      const from = after === null ? [tenantId ?? "", ""] : [after.tenantId, after.workflowId + NEXT];
      const rows = await db.read(groups, [...from, tenantId, limit]);
      return rows.map(([tenant, workflow]) => ({ tenantId: tenant as string, workflowId: workflow as string }));
    },
    listDue: async ({ tenantId, workflowId, archived, olderThanMs, after, limit = 100 }) => {
      const place = [after?.completedAt ?? "", after?.runId ?? ""];
      const rows = await db.read(due, [tenantId, workflowId, archived ? 1 : 0, olderThanMs, ...place, limit]);
      return rows.map(([runId, completedAt]) => ({ runId: runId as string, completedAt: completedAt as string }));
    },
    holdRun: async (runId) => void (await db.write(hold, [runId])),
    deleteRun: (runId) => deleteRun(db, runId),
    sweepDeleted: () => sweepDeleted(db),
    purge: async ({ limit = 1000 } = {}) => {
      await clean();
      return purge(db, limit);
    },
  };
}

function toPolicy([kind, tenantId, workflowId, archiveAfterMs, deleteAfterMs]: Row): RetentionPolicy {
  return {
    kind: kind as RetentionPolicy["kind"],
    tenantId: tenantId as string,
    workflowId: workflowId as string,
    archiveAfterMs: archiveAfterMs as number | null,
    deleteAfterMs: deleteAfterMs as number | null,
  };
}
