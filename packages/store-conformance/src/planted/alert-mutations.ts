/** Faults in the port of alerts, one per mutation. */
import type { AlertStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const alerts =
  (change: (real: AlertStore) => Partial<AlertStore>): (() => Mutation) =>
  () => ({ store: (real) => ({ alerts: overlay(real.alerts!, change(real.alerts!)) }) });

export const alertMutations: Readonly<Record<string, () => Mutation>> = {
  "alerts are listed oldest first": alerts((real) => ({
    listAlerts: async (params) => (await real.listAlerts(params)).reverse(),
  })),
  "a repeated alert is recorded twice": alerts((real) => {
    let calls = 0;
    return {
      recordAlerts: (recorded) => {
        calls++;
        return real.recordAlerts(recorded.map((each) => ({ ...each, alertId: `${each.alertId}-${calls}` })));
      },
      listAlerts: async (params) =>
        (await real.listAlerts(params)).map((each) => ({ ...each, alertId: each.alertId.replace(/-\d+$/, "") })),
    };
  }),
  "a tenant sees the alerts of others": alerts((real) => ({
    listAlerts: ({ tenantId: _, ...params }) => real.listAlerts(params),
  })),
  "an alert about a run has no tenant": alerts((real) => ({
    recordAlerts: (recorded) => real.recordAlerts(recorded.map(({ runId: _, ...each }) => each)),
  })),
  "only few alerts are kept": alerts((real) => ({
    listAlerts: async (params) => (await real.listAlerts(params)).slice(0, 100),
  })),
  "alerts are not checked": alerts((real) => ({
    recordAlerts: (recorded) => real.recordAlerts(recorded).catch(() => {}),
  })),
};
