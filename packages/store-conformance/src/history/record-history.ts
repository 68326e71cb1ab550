import type {
  CanonicalEngineEvent,
  Checkpoints,
  EventLog,
  IRunStateStore,
  Leases,
  StateStore,
} from "@runledger/contracts";
import type { History, Operation } from "./history.js";
import { readEnd } from "./read-end.js";
import { recordAppend } from "./record-appends.js";
import { now, Recording, type RecordOptions } from "./recording.js";

export interface HistoryRecorder {
  /** Behaves like the wrapped store and records every operation. */
  readonly store: StateStore;
  /** The operations recorded so far. */
  readonly operations: readonly Operation[];
  /** Returns the recorded operations and the store's content. Call it when no operation is in flight. */
  finish(): Promise<History>;
}

/** Wraps a store so that `checkHistory` can judge a client's operations on it. */
export function recordHistory(store: StateStore, options: RecordOptions = {}): HistoryRecorder {
  const recording = new Recording(options);
  const { operations } = recording;
  return {
    store: recordedStore(store, recording),
    operations,
    finish: async () => ({ operations, ...(await readEnd(store)) }),
  };
}

function recordedStore(store: StateStore, recording: Recording): StateStore {
  const { capabilities, snapshots, checkpoints, feed, leases, archive } = store;
  return {
    ...recordedLog(store, recording, false),
    capabilities,
    snapshots,
    ...(checkpoints && { checkpoints: recordedCheckpoints(checkpoints, recording) }),
    ...(feed && { feed }),
    ...(leases && { leases: recordedLeases(leases, recording) }),
    ...(archive && { archive }),
    forTenant: (tenantId) => ({ tenantId, ...recordedLog(store.forTenant(tenantId), recording, true) }),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

type Log = IRunStateStore & EventLog;

function recordedLog(log: Log, recording: Recording, scoped: boolean): Log {
  const seen = (invoked: number, read: Read, events: readonly CanonicalEngineEvent[]): void =>
    recording.observe(invoked, { kind: "read", scoped, ...read, events: events.map(toSeen) });
  return {
    appendEvent: async (event) => (await recordAppend(log, recording, [event]))[0]!,
    appendEvents: (events, options) => recordAppend(log, recording, events, options),
    fetchEvents: async (runId, options = {}) => {
      const invoked = now();
      const events = await log.fetchEvents(runId, options);
      seen(invoked, { runId, afterSeq: options.afterSeq ?? 0, limit: options.limit ?? 1000, toSeq: null }, events);
      return events;
    },
    streamEvents: async function* (runId, { afterSeq = 0, toSeq = null }: StreamOptions = {}) {
      const invoked = now();
      const events: CanonicalEngineEvent[] = [];
      for await (const event of log.streamEvents(runId, { afterSeq, ...(toSeq === null ? {} : { toSeq }) })) {
        events.push(event);
        yield event;
      }
      seen(invoked, { runId, afterSeq, limit: null, toSeq }, events);
    },
    fetchByKeys: (runId, keys) => log.fetchByKeys(runId, keys),
    fetchHeads: (runIds) => log.fetchHeads(runIds),
    listHeads: (options) => log.listHeads(options),
    getSnapshot: (runId) => log.getSnapshot(runId),
    projectSnapshot: (runId) => log.projectSnapshot(runId),
  };
}

interface Read {
  readonly runId: string;
  readonly afterSeq: number;
  readonly limit: number | null;
  readonly toSeq: number | null;
}

interface StreamOptions {
  readonly afterSeq?: number;
  readonly toSeq?: number | null;
}

function toSeen({ runSeq, idempotencyKey }: CanonicalEngineEvent): { seq: number; key: string } {
  return { seq: runSeq, key: idempotencyKey };
}

function recordedLeases(leases: Leases, recording: Recording): Leases {
  return {
    heartbeat: (params) => leases.heartbeat(params),
    acquireLeases: async (params) => {
      const invoked = now();
      const granted = await leases.acquireLeases(params);
      for (const { runId, epoch, headSeq } of granted.leases)
        recording.observe(invoked, { kind: "lease", runId, workerId: params.workerId, epoch, headSeq });
      return granted;
    },
    releaseLeases: (params) => leases.releaseLeases(params),
    retireWorker: (workerId) => leases.retireWorker(workerId),
    listWorkers: () => leases.listWorkers(),
  };
}

function recordedCheckpoints(checkpoints: Checkpoints, recording: Recording): Checkpoints {
  return {
    loadCheckpoint: async (runId) => {
      const invoked = now();
      const checkpoint = await checkpoints.loadCheckpoint(runId);
      if (checkpoint !== null) recording.observe(invoked, { kind: "checkpoint", checkpoint });
      return checkpoint;
    },
  };
}
