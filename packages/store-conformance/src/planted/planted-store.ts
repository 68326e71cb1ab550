/**
 * A small store with a chosen bug, to show that the checker finds it. Two handles share the tables like two processes
 * share a database: each has its own coalescer, and only the head's lock orders them.
 */
import {
  MAX_EVENT_BYTES,
  type Lease,
  type Leases,
  type RunHead,
  type SnapshotStore,
  type StateStore,
} from "@runledger/contracts";
import { Coalescer, StoreLog, type LogOperations } from "@runledger/core/store";
import { appendPart } from "./planted-append.js";
import { inLogOrder, newTables, type Bug, type Tables } from "./planted-tables.js";

export function plantedHandles(bug: Bug | null): readonly StateStore[] {
  const tables = newTables(bug);
  return [handle(tables), handle(tables)];
}

function handle(tables: Tables): StateStore {
  const operations = logOperations(tables);
  const soon = (run: () => void): void => void setImmediate(run);
  const limits = { maxEvents: 100, maxBytes: 1_000_000, maxBatchesInFlight: 4 };
  const coalescer = new Coalescer({ ...limits, send: operations.send, soon });
  const log = new StoreLog(operations, coalescer);
  const rest: Omit<StateStore, keyof StoreLog> = {
    capabilities: {
      contiguous: true,
      durable: false,
      maxEventsPerRunAndCall: null,
      checkpointInAppend: true,
      gatheringWindowMs: 0,
      maxPayloadBytes: MAX_EVENT_BYTES,
      typicalAppendMs: 0,
      lagMs: 0,
    },
    snapshots: {} as SnapshotStore, // no workload uses it
    checkpoints: { loadCheckpoint: async (runId) => tables.runs.get(runId)?.checkpoint ?? null },
    leases: leases(tables),
    forTenant: () => {
      throw new Error("the planted store has no tenants");
    },
    close: () => coalescer.close(),
    [Symbol.asyncDispose]: () => coalescer.close(),
  };
  return Object.assign(log, rest);
}

function logOperations(tables: Tables): LogOperations {
  const heads = (): RunHead[] => [...tables.runs].map(([runId, run]) => toHead(runId, run));
  return {
    contiguous: false, // readers get what the planted bug left
    send: (parts) => Promise.all(parts.map((part) => appendPart(tables, part))),
    fetchEvents: async ({ runId, afterSeq, toSeq, limit }) => {
      const events = inLogOrder(tables, runId).filter(({ runSeq }) => runSeq > afterSeq && runSeq <= toSeq);
      return events.slice(0, limit);
    },
    fetchByKeys: async ({ runId, keys }) =>
      inLogOrder(tables, runId).filter((event) => keys.includes(event.idempotencyKey)),
    fetchHeads: async ({ runIds }) => heads().filter((head) => runIds.includes(head.runId)),
    listHeads: async ({ afterRunId }) => heads().filter((head) => head.runId > afterRunId),
    getSnapshot: async () => null,
  };
}

function toHead(runId: string, run: { nextSeq: number; epoch: number; owner: string | null }): RunHead {
  const { nextSeq, epoch, owner } = run;
  const persistedAt = new Date().toISOString();
  return {
    runId,
    tenantId: "default",
    headSeq: nextSeq - 1,
    settledSeq: Number.MAX_SAFE_INTEGER,
    leaseEpoch: epoch,
    leaseOwner: owner,
    persistedAt,
    archived: false,
  };
}

function leases(tables: Tables): Leases {
  const now = new Date().toISOString();
  return {
    heartbeat: async ({ workerId }) => {
      tables.workers.add(workerId);
      return { now, expiresAt: now };
    },
    acquireLeases: async ({ workerId, runIds }) => ({
      now,
      leases: runIds.flatMap((runId) => acquire(tables, workerId, runId) ?? []),
    }),
    releaseLeases: async () => {},
    retireWorker: async (workerId) => void tables.workers.delete(workerId),
    listWorkers: async () => ({ now, workers: [] }),
  };
}

function acquire(tables: Tables, workerId: string, runId: string): Lease | null {
  const run = tables.runs.get(runId);
  if (run === undefined || run.locked) return null; // an append holds the head, so the run is skipped
  const { owner } = run;
  if (owner !== workerId && owner !== null && tables.workers.has(owner)) return null;
  if (owner !== workerId && (tables.bug !== "epoch-kept" || run.epoch === 0)) run.epoch++;
  run.owner = workerId;
  return { runId, epoch: run.epoch, takenFrom: owner === workerId ? null : owner, headSeq: run.nextSeq - 1 };
}
