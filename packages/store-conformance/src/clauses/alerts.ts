import assert from "node:assert/strict";
import { KEPT_ALERTS, MAX_ALERTS_PER_CALL, type RecordedAlert, type StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

type WithAlerts = StateStore & Required<Pick<StateStore, "alerts">>;

const DAY_MS = 86_400_000;
const alert = (n: number, more: Partial<RecordedAlert> = {}): RecordedAlert => ({
  alertId: `alert-${String(n).padStart(6, "0")}`,
  at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  code: "RUN_ISOLATED",
  severity: "warning",
  message: `é "${n}"`,
  process: "host-1",
  ...more,
});

const listed = async ({ alerts }: WithAlerts, more: { tenantId?: string; limit?: number } = {}) =>
  alerts.listAlerts({ withinMs: DAY_MS, limit: 10_000, ...more });
const idsOf = (alerts: readonly RecordedAlert[]): string[] => alerts.map(({ alertId }) => alertId);

/** The recent alerts of all processes. */
export const alerts = clause("alerts", ["alerts"], {
  "an alert is read back by another process as it was recorded, newest first": async ({ store, another }) => {
    const [first, second] = [alert(1), alert(2, { severity: "critical", tenantId: "acme" })];
    await store.alerts.recordAlerts([second, first]);
    assert.deepEqual(await listed((await another()) as WithAlerts), [second, first]);
    assert.deepEqual(await listed(store, { limit: 1 }), [second]);
  },

  "a repeated call changes nothing": async ({ store }) => {
    await store.alerts.recordAlerts([alert(1)]);
    await store.alerts.recordAlerts([alert(1, { message: "other" }), alert(2)]);
    assert.deepEqual(await listed(store), [alert(2), alert(1)]);
  },

  "a tenant sees its own alerts and those that concern all tenants": async ({ store }) => {
    await store.forTenant("acme").appendEvent(eventOf("run-1", "RunStarted"));
    const ofRun = alert(1, { runId: "run-1" });
    await store.alerts.recordAlerts([ofRun, alert(2), alert(3, { tenantId: "beta" }), alert(4, { runId: "unknown" })]);
    assert.deepEqual(await listed(store, { tenantId: "acme" }), [alert(2), { ...ofRun, tenantId: "acme" }]);
    assert.deepEqual(idsOf(await listed(store, { tenantId: "beta" })), idsOf([alert(3), alert(2)]));
    assert.equal((await listed(store)).length, 4);
  },

  "the newest alerts of each tenant are kept, and their number is bounded": async ({ store }) => {
    await store.alerts.recordAlerts([alert(0, { tenantId: "quiet" })]);
    const all = KEPT_ALERTS + 2 * MAX_ALERTS_PER_CALL;
    for (let from = 1; from <= all; from += MAX_ALERTS_PER_CALL)
      await store.alerts.recordAlerts(Array.from({ length: MAX_ALERTS_PER_CALL }, (_, n) => alert(from + n)));
    const kept = await listed(store);
    assert.deepEqual(kept[0], alert(all));
    assert.deepEqual(idsOf(kept.slice(0, KEPT_ALERTS)).at(-1), alert(all - KEPT_ALERTS + 1).alertId);
    assert.ok(kept.length <= KEPT_ALERTS + MAX_ALERTS_PER_CALL + 1, `${kept.length} are kept`);
    assert.equal(kept.at(-1)?.tenantId, "quiet");
  },

  "wrong arguments are refused": async ({ store }) => {
    const { alerts: port } = store;
    await refusedInput(port.recordAlerts([alert(1, { alertId: "a|b" })]), "IDENTIFIER_INVALID", "alerts[0].alertId");
    await refusedInput(port.recordAlerts([alert(1, { tenantId: "" })]), "IDENTIFIER_INVALID", "alerts[0].tenantId");
    const many = Array.from({ length: MAX_ALERTS_PER_CALL + 1 }, (_, n) => alert(n));
    await refusedInput(port.recordAlerts(many), "OPTION_INVALID", "alerts");
    await refusedInput(port.listAlerts({ withinMs: 0, limit: 1 }), "OPTION_INVALID", "withinMs");
    await refusedInput(port.listAlerts({ withinMs: 1, limit: 0 }), "OPTION_INVALID", "limit");
    assert.deepEqual(await listed(store), []);
  },
});
