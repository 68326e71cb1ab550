/** Reads live workers, and workers that were lost recently, with the runs that they drive. */
import { workerGapText, type FullStateStore, type KnownWorker, type TenantStore } from "@runledger/contracts";
import { hiddenPlans, isVisibleWorker, workerName, type Reader } from "./reader.js";

const MAX_RUNS = 200;

/** A reader of one tenant sees the workers that can run something of it, with the tenant's runs and plans. */
export async function readWorkers(store: FullStateStore, tenant: Pick<TenantStore, "fetchHeads">, reader: Reader) {
  const { allTenants, tenantId } = reader;
  const [{ now, workers }, unserved] = await Promise.all([store.leases.listWorkers(), store.plans.listUnserved()]);
  const isHidden = await hiddenPlans(store, reader);
  const visible = workers.filter((worker) => isVisibleWorker(worker, reader));
  const infos = await Promise.all(visible.map((worker) => toWorkerInfo(store, tenant, { worker, now })));
  const items = infos.map((info) => ({
    ...info,
    workerId: workerName(info.workerId, reader),
    plans: info.plans.filter((plan) => !isHidden(plan)),
  }));
  const own = allTenants ? unserved : await visiblePlans(store, tenantId, unserved);
  return {
    now,
    items,
    unserved: own.map((plan) => ({
      ...plan,
      openRuns: allTenants ? plan.openRuns : null,
      reason: workerGapText(plan.missing, plan),
    })),
  };
}

async function toWorkerInfo(
  store: FullStateStore,
  tenant: Pick<TenantStore, "fetchHeads">,
  { worker, now }: { readonly worker: KnownWorker; readonly now: string },
) {
  const { workerId, expiresAt, seenAt, logFormat, plans } = worker;
  const alive = expiresAt > now;
  const held = alive ? (await store.queue.heldRuns(workerId)).runs : [];
  const heads = await tenant.fetchHeads(held.map(({ runId }) => runId));
  const own = new Set(heads.map(({ runId }) => runId));
  const runs = held.filter(({ runId }) => own.has(runId)).slice(0, MAX_RUNS);
  return {
    workerId,
    alive,
    expiresAt,
    lastHeartbeatAt: seenAt,
    logFormat,
    plans,
    runs: runs.map(({ runId, planId, planVersion }) => ({ runId, planId, planVersion })),
  };
}

/** Keeps plans of which the tenant has open runs. */
async function visiblePlans<P extends { readonly planId: string; readonly planVersion: string }>(
  store: FullStateStore,
  tenantId: string,
  plans: readonly P[],
): Promise<P[]> {
  const open = ["PENDING", "APPROVED", "RUNNING", "PAUSED"] as const;
  const found = await Promise.all(
    plans.map(({ planId, planVersion }) =>
      store.index.listRuns({ tenantId, planId, planVersion, status: open, limit: 1 }),
    ),
  );
  return plans.filter((_, index) => found[index]!.runs.length > 0);
}
