/** The recent alerts of all processes: those of this one, and those that others have recorded in the store. */
import type { RecordedAlert, TenantStore } from "@runledger/contracts";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { remedyOf } from "./remedies.js";

const DAY_MS = 86_400_000;
const MOST = 100;

interface Reader {
  readonly tenant: TenantStore;
  readonly allTenants: boolean;
  /** `false` if the store does not respond. Then only the alerts of this process are known. */
  readonly isStoreReachable: boolean;
}

/** An alert about a run or a tenant is visible to that tenant; any other alert is visible to all. */
export async function recentAlerts(ledger: Ledger, reader: Reader) {
  const { tenant, allTenants } = reader;
  const alerts = await allAlerts(ledger, reader);
  const runIds = [...new Set(alerts.flatMap(({ runId }) => runId ?? []))];
  const visible = allTenants ? runIds : (await tenant.fetchHeads(runIds)).map(({ runId }) => runId);
  return alerts
    .filter(({ runId }) => runId === undefined || visible.includes(runId))
    .filter(({ tenantId }) => allTenants || tenantId === undefined || tenantId === tenant.tenantId)
    .slice(0, MOST)
    .map(({ alertId: _, tenantId: __, process, ...alert }) => ({
      ...alert,
      ...(allTenants && { process }),
      remedy: remedyOf(alert.code),
    }));
}

/** Newest first. An alert of this process may also be in the store. */
async function allAlerts({ alerts: own, store }: Ledger, reader: Reader): Promise<RecordedAlert[]> {
  const { tenant, allTenants, isStoreReachable } = reader;
  const whose = allTenants ? {} : { tenantId: tenant.tenantId };
  const listed = isStoreReachable ? await store.alerts?.listAlerts({ ...whose, withinMs: DAY_MS, limit: MOST }) : [];
  const known = new Set(own.map(({ alertId }) => alertId));
  const others = (listed ?? []).filter(({ alertId }) => !known.has(alertId));
  return [...own.toReversed(), ...others].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
