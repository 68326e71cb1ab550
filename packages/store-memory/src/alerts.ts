import { ALERT_DAYS, KEPT_ALERTS, omitUndefined, type AlertStore, type RecordedAlert } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

export interface AlertRow extends RecordedAlert {
  readonly recordedAt: number;
}

const DAY_MS = 86_400_000;

export function alerts(tables: Tables): AlertStore {
  return {
    recordAlerts: async (recorded) => {
      for (const alert of recorded) record(tables, alert);
      for (const tenantId of new Set([...tables.alerts.values()].map((row) => row.tenantId))) forget(tables, tenantId);
    },
    listAlerts: async ({ tenantId, withinMs, limit }) => {
      const since = tables.now() - withinMs;
      const isVisible = (row: AlertRow): boolean =>
        tenantId === undefined || row.tenantId === tenantId || (row.tenantId === undefined && row.runId === undefined);
      const found = [...tables.alerts.values()].filter((row) => row.recordedAt >= since && isVisible(row));
      return found
        .sort(newestFirst)
        .slice(0, limit)
        .map(({ recordedAt: _, ...alert }) => alert);
    },
  };
}

function record(tables: Tables, alert: RecordedAlert): void {
  if (tables.alerts.has(alert.alertId)) return;
  const tenantId = tables.runs.get(alert.runId ?? "")?.tenantId ?? alert.tenantId;
  tables.alerts.set(alert.alertId, { ...alert, ...omitUndefined({ tenantId }), recordedAt: tables.now() });
}

function forget(tables: Tables, tenantId: string | undefined): void {
  const own = [...tables.alerts.values()].filter((row) => row.tenantId === tenantId).sort(newestFirst);
  const oldest = tables.now() - ALERT_DAYS * DAY_MS;
  const gone = own.filter(({ recordedAt }, index) => index >= KEPT_ALERTS || recordedAt < oldest);
  for (const { alertId } of gone) tables.alerts.delete(alertId);
}

function newestFirst(a: AlertRow, b: AlertRow): number {
  return compareIds(b.at, a.at) || compareIds(b.alertId, a.alertId);
}
