/** Ownership of runs (O1, P4). Every time in this file is the store's. */
import { omitUndefined, type KnownWorker, type Lease, type PlanRef } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import { equals, present } from "./conditions.js";
import type { Db } from "./db.js";
import { tryTransact } from "./documents.js";
import { number, textOrNull, type Item } from "./encoding.js";
import { getItem, getItems } from "./items.js";
import { isAlive, readWorkers, workerKey, type WorkerRow } from "./queue-state.js";
import { headKey } from "./table.js";

const DAY_MS = 86_400_000;

export async function heartbeat(
  { client }: Db,
  params: {
    readonly workerId: string;
    readonly ttlMs: number;
    readonly plans?: readonly PlanRef[];
    readonly logFormat?: number;
    readonly tenants?: readonly string[];
  },
): Promise<{ now: string; expiresAt: string }> {
  const now = client.clock.now();
  const { workerId, ttlMs, plans, logFormat, tenants } = params;
  const reported = omitUndefined({
    plans: plans === undefined ? undefined : JSON.stringify(plans),
    logFormat,
    tenants: tenants === undefined ? undefined : JSON.stringify(tenants),
  });
  const set = { expiresAt: now + ttlMs, seenAt: now, retired: null, swept: null, ...reported };
  await client.transact([{ kind: "update", key: workerKey(workerId), set }]);
  return { now: iso(now), expiresAt: iso(now + ttlMs) };
}

/** The item stays until the worker's runs were taken over, so that they are found. It no longer describes the worker. */
export async function retireWorker({ client }: Db, workerId: string): Promise<void> {
  const nothing = { plans: null, logFormat: null, tenants: null };
  const retired: WriteAction = {
    kind: "update",
    key: workerKey(workerId),
    set: { retired: true, ...nothing },
    when: present,
  };
  await tryTransact(client, [retired]);
}

export async function listWorkers({ client }: Db): Promise<{ now: string; workers: KnownWorker[] }> {
  const { workers } = await readWorkers(client);
  const now = client.clock.now();
  const known = workers.filter(({ isRetired, expiresAt }) => !isRetired && expiresAt >= now - DAY_MS);
  return { now: iso(now), workers: known.map(toKnown) };
}

function toKnown({ workerId, expiresAt, seenAt, plans, logFormat, tenants }: WorkerRow): KnownWorker {
  const times = { expiresAt: iso(expiresAt), seenAt: iso(seenAt) };
  return { workerId, ...times, plans, logFormat, ...omitUndefined({ tenants }) };
}

export async function acquireLeases(
  { client }: Db,
  { workerId, runIds }: { readonly workerId: string; readonly runIds: readonly string[] },
): Promise<{ now: string; leases: Lease[] }> {
  const { workers } = await readWorkers(client);
  const now = client.clock.now();
  const alive = new Set(workers.filter((worker) => isAlive(worker, now)).map((worker) => worker.workerId));
  const ids = alive.has(workerId) ? [...new Set(runIds)].sort(compareIds) : [];
  const heads = await getItems(client, ids.map(headKey));
  const acquired = heads.map((head, index) => acquire(client, { workerId, runId: ids[index]!, head, alive }));
  return { now: iso(now), leases: (await Promise.all(acquired)).filter((lease) => lease !== null) };
}

const compareIds = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The last owner, or a signal, may append at this moment: the lease has to name the head at which it starts. */
const TRIES = 5;

async function acquireAgain(
  client: DynamoClient,
  params: Parameters<typeof acquire>[1],
  tries: number,
): Promise<Lease | null> {
  return acquire(client, { ...params, head: await getItem(client, headKey(params.runId)) }, tries);
}

async function acquire(
  client: DynamoClient,
  params: {
    readonly workerId: string;
    readonly runId: string;
    readonly head: Item | null;
    readonly alive: Set<string>;
  },
  tries = TRIES,
): Promise<Lease | null> {
  const { workerId, runId, head, alive } = params;
  if (head === null || head["archived"] === true) return null;
  const owner = textOrNull(head, "leaseOwner");
  if (owner !== workerId && owner !== null && alive.has(owner)) return null;
  const before = number(head, "leaseEpoch");
  const epoch = owner === workerId ? before : before + 1; // a worker's own run keeps its epoch, because the call may be a retry
  const when = equals({ leaseEpoch: before, leaseOwner: owner, headSeq: number(head, "headSeq") });
  const taken: WriteAction = {
    kind: "update",
    key: headKey(runId),
    set: { leaseEpoch: epoch, leaseOwner: workerId },
    when,
  };
  if (!(await tryTransact(client, [taken]))) return tries > 0 ? acquireAgain(client, params, tries - 1) : null;
  return { runId, epoch, takenFrom: owner === workerId ? null : owner, headSeq: number(head, "headSeq") };
}

export async function releaseLeases(
  { client }: Db,
  params: { readonly workerId: string; readonly leases: readonly { readonly runId: string; readonly epoch: number }[] },
): Promise<void> {
  const released = params.leases.map(({ runId, epoch }) => {
    const when = equals({ leaseOwner: params.workerId, leaseEpoch: epoch });
    return tryTransact(client, [{ kind: "update", key: headKey(runId), set: { leaseOwner: null }, when }]);
  });
  await Promise.all(released);
}
