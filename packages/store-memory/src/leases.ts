import type { Lease } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { isAlive, type Tables } from "./tables.js";

export function heartbeat(
  tables: Tables,
  { workerId, ttlMs }: { readonly workerId: string; readonly ttlMs: number },
): { now: string; expiresAt: string } {
  const now = tables.now();
  tables.workers.set(workerId, now + ttlMs);
  return { now: new Date(now).toISOString(), expiresAt: new Date(now + ttlMs).toISOString() };
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
  if (owner !== workerId) run.leaseEpoch++; // a worker's own run keeps its epoch: the call may be a retry
  run.leaseOwner = workerId;
  const takenFrom = owner === workerId ? null : owner;
  return { runId, epoch: run.leaseEpoch, takenFrom, headSeq: run.events.length };
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
