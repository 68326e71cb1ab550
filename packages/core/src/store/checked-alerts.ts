/** The port `alerts` as callers see it. */
import {
  checkedJson,
  checkIdentifier,
  InputError,
  MAX_ALERTS_PER_CALL,
  type AlertStore,
  type RecordedAlert,
} from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

/** A message names runs and reasons. Longer ones are cut off by the process that records them. */
const MAX_ALERT_BYTES = 16 * 1024;

export function checkedAlerts(alerts: AlertStore, open: AssertOpen): AlertStore {
  return {
    recordAlerts: (recorded) => after([open, () => checkAll(recorded)], () => alerts.recordAlerts(recorded)),
    listAlerts: (params) => after([open, () => checkList(params)], () => alerts.listAlerts(params)),
  };
}

function checkAll(alerts: readonly RecordedAlert[]): void {
  if (alerts.length > MAX_ALERTS_PER_CALL)
    throw new InputError("OPTION_INVALID", "alerts", `has more than ${MAX_ALERTS_PER_CALL} entries.`);
  alerts.forEach((alert, index) => checkAlert(`alerts[${index}]`, alert));
}

function checkAlert(field: string, alert: RecordedAlert): void {
  checkIdentifier(`${field}.alertId`, alert.alertId);
  if (alert.tenantId !== undefined) checkIdentifier(`${field}.tenantId`, alert.tenantId);
  checkedJson(field, alert, MAX_ALERT_BYTES);
}

function checkList({ tenantId, withinMs, limit }: Parameters<AlertStore["listAlerts"]>[0]): void {
  if (tenantId !== undefined) checkIdentifier("tenantId", tenantId);
  checkWhole("withinMs", withinMs, 1);
  checkWhole("limit", limit, 1);
}
