import assert from "node:assert/strict";
import type { Lease, Leases } from "@runledger/contracts";

const TTL_MS = 60_000;

/** Makes a worker alive and acquires one run, which must be free. */
export async function take(leases: Leases, workerId: string, runId: string): Promise<Lease> {
  await leases.heartbeat({ workerId, ttlMs: TTL_MS });
  const { leases: granted } = await leases.acquireLeases({ workerId, runIds: [runId] });
  assert.equal(granted.length, 1, `${workerId} was not given ${runId}`);
  return granted[0]!;
}

/** The owner is lost and another worker takes over its run. */
export async function takeOver(leases: Leases, from: string, to: string, runId: string): Promise<Lease> {
  await leases.retireWorker(from);
  return take(leases, to, runId);
}
