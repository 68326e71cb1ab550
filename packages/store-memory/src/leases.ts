import { omitUndefined, type KnownWorker, type Lease, type PlanRef } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { headOf, isAlive, type Tables } from "./tables.js";

const DAY_MS = 86_400_000;

export function heartbeat(
  tables: Tables,
  params: {
    readonly workerId: string;
    readonly ttlMs: number;
    readonly plans?: readonly PlanRef[];
    readonly logFormat?: number;
    readonly tenants?: readonly string[];
  },
): { now: string; expiresAt: string } {
  const now = tables.now();
  const { workerId, ttlMs } = params;
  const known = tables.workers.get(workerId);
  const { plans = known?.plans ?? [], logFormat = known?.logFormat ?? 0, tenants = known?.tenants } = params;
  for (const [id, { expiresAt }] of tables.workers) if (expiresAt < now - DAY_MS) tables.workers.delete(id);
  tables.workers.set(workerId, {
    expiresAt: now + ttlMs,
    seenAt: now,
    plans,
    logFormat,
    ...omitUndefined({ tenants }),
  });
  return { now: new Date(now).toISOString(), expiresAt: new Date(now + ttlMs).toISOString() };
}

export function listWorkers(tables: Tables): { now: string; workers: KnownWorker[] } {
  const ids = [...tables.workers.keys()].sort(compareIds);
  const workers = ids.map((workerId) => {
    const { expiresAt, seenAt, ...row } = tables.workers.get(workerId)!;
    const times = { expiresAt: new Date(expiresAt).toISOString(), seenAt: new Date(seenAt).toISOString() };
    return { workerId, ...times, ...row };
  });
  return { now: new Date(tables.now()).toISOString(), workers };
}

export function acquireLeases(
  tables: Tables,
  { workerId, runIds }: { readonly workerId: string; readonly runIds: readonly string[] },
): { now: string; leases: Lease[] } {
  const ids = isAlive(tables, workerId) ? [...new Set(runIds)].sort(compareIds) : [];
  const leases = ids.flatMap((runId) => acquire(tables, workerId, runId) ?? []);
  return { now: new Date(tables.now()).toISOString(), leases };
}

function acquire(tables: Tables, workerId: string, runId: string): Lease | null {
  const run = tables.runs.get(runId);
  if (run === undefined || run.archived) return null;
  const owner = run.leaseOwner;
  if (owner !== workerId && isAlive(tables, owner)) return null;
  if (owner !== workerId) run.leaseEpoch++; // a worker's own run keeps its epoch, because the call may be a retry
  run.leaseOwner = workerId;
  const takenFrom = owner === workerId ? null : owner;
  return { runId, epoch: run.leaseEpoch, takenFrom, headSeq: headOf(run) };
}

export function releaseLeases(
  tables: Tables,
  params: { readonly workerId: string; readonly leases: readonly { readonly runId: string; readonly epoch: number }[] },
): void {
  for (const { runId, epoch } of params.leases) {
    const run = tables.runs.get(runId);
    if (run?.leaseOwner === params.workerId && run.leaseEpoch === epoch) run.leaseOwner = null;
  }
}
