/** The recent alerts of all processes. */
import { ALERT_DAYS, KEPT_ALERTS, type AlertStore, type RecordedAlert } from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";

/** Locked rows are skipped, because another process is deleting them. */
const record: Statement = {
  name: "alert_record",
  text: `
WITH raised AS MATERIALIZED (
  SELECT a."alertId", a.at, a.code, a.severity, a.message, a.process, a."runId",
    coalesce(h.tenant_id, a."tenantId", '') AS tenant_id
  FROM jsonb_to_recordset($1::jsonb) AS a ("alertId" text, at timestamptz, code text, severity text, message text,
    process text, "runId" text, "tenantId" text)
  LEFT JOIN runledger.run_heads h ON h.run_id = a."runId"
),
recorded AS (
  INSERT INTO runledger.alerts (alert_id, at, code, severity, message, process, run_id, tenant_id)
  SELECT * FROM raised ON CONFLICT DO NOTHING
),
surplus AS (
  SELECT old.alert_id FROM (SELECT DISTINCT tenant_id FROM raised) AS t
  CROSS JOIN LATERAL (
    SELECT alert_id FROM runledger.alerts a WHERE a.tenant_id = t.tenant_id
    ORDER BY a.at DESC, a.alert_id DESC OFFSET ${KEPT_ALERTS}
  ) AS old
  UNION ALL
  SELECT alert_id FROM runledger.alerts WHERE recorded_at < clock_timestamp() - interval '${ALERT_DAYS} days'
),
gone AS (
  SELECT alert_id FROM runledger.alerts WHERE alert_id IN (SELECT alert_id FROM surplus) FOR UPDATE SKIP LOCKED
)
DELETE FROM runledger.alerts a USING gone WHERE a.alert_id = gone.alert_id`,
};

/** An alert about a run whose tenant is not known is shown to no tenant. */
const list: Statement = {
  name: "alert_list",
  text: `
SELECT alert_id, at, code, severity, message, process, run_id, tenant_id FROM runledger.alerts
WHERE recorded_at >= clock_timestamp() - $2 * interval '1 millisecond'
  AND ($1::text IS NULL OR tenant_id = $1 OR (tenant_id = '' AND run_id IS NULL))
ORDER BY at DESC, alert_id DESC LIMIT $3`,
};

export function alerts(db: Database): AlertStore {
  return {
    recordAlerts: async (recorded) => void (await db.write(record, [JSON.stringify(recorded)])),
    listAlerts: async ({ tenantId = null, withinMs, limit }) =>
      (await db.read(list, [tenantId, withinMs, limit])).map(toAlert),
  };
}

function toAlert([alertId, at, code, severity, message, process, runId, tenantId]: Row): RecordedAlert {
  return {
    alertId: alertId as string,
    at: at as string,
    code: code as string,
    severity: severity as RecordedAlert["severity"],
    message: message as string,
    process: process as string,
    ...(runId === null ? {} : { runId: runId as string }),
    ...(tenantId === "" ? {} : { tenantId: tenantId as string }),
  };
}
