/** Who runs steps. Workers are everybody's; the runs that are shown with them are the caller's. */
import { workerGapText, type FullStateStore, type KnownWorker, type TenantStore } from "@runledger/contracts";
import type { Caller } from "../access/caller.js";

const MOST_RUNS = 200;

export async function listWorkers(store: FullStateStore, tenant: TenantStore, { allTenants, tenantId }: Caller) {
  const [{ now, workers }, unserved] = await Promise.all([store.leases.listWorkers(), store.plans.listUnserved()]);
  const items = await Promise.all(workers.map((worker) => shown(store, tenant, { worker, now })));
  const own = allTenants ? unserved : await ownUnserved(store, tenantId, unserved);
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

async function shown(
  store: FullStateStore,
  tenant: TenantStore,
  { worker, now }: { readonly worker: KnownWorker; readonly now: string },
) {
  const { workerId, expiresAt, seenAt, logFormat, plans } = worker;
  const alive = expiresAt > now;
  const held = alive ? (await store.queue.heldRuns(workerId)).runs : [];
  const heads = await tenant.fetchHeads(held.map(({ runId }) => runId));
  const own = new Set(heads.map(({ runId }) => runId));
  const runs = held.filter(({ runId }) => own.has(runId)).slice(0, MOST_RUNS);
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

/** Those of which the tenant itself has open runs. */
async function ownUnserved<P extends { readonly planId: string; readonly planVersion: string }>(
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
