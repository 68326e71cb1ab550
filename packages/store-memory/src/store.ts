import {
  MAX_EVENT_BYTES,
  type Access,
  type Archive,
  type ArtifactExpiry,
  type Artifacts,
  type Audit,
  type Capabilities,
  type ChangeFeed,
  type Checkpoints,
  type Copies,
  type DatasetIndex,
  type DerivedData,
  type Erasure,
  type FullStateStore,
  type Keyframes,
  type Leases,
  type Limits,
  type OutboxStore,
  type Plans,
  type RetentionStore,
  type RunIndex,
  type RunQueue,
  type Schedules,
  type Settling,
  type SnapshotStore,
  type TenantStore,
  type TriggerStore,
  type AlertStore,
} from "@runledger/contracts";
import {
  checkedAccess,
  checkedArchive,
  checkedAudit,
  checkedCheckpoints,
  checkedCopies,
  checkedDatasets,
  checkedErasure,
  checkedExpiry,
  checkedFeed,
  checkedIndex,
  checkedLeases,
  checkedLimits,
  checkedOutbox,
  checkedPlans,
  checkedQueue,
  checkedRetention,
  checkedSchedules,
  checkedSnapshots,
  checkedTriggers,
  checkedAlerts,
  Coalescer,
  StoreLog,
  type LogOperations,
  type RunAppend,
  type RunOutcome,
} from "@runledger/core/store";
import { appendPart } from "./append-events.js";
import { access } from "./access.js";
import { archiveRun } from "./archive.js";
import { artifacts } from "./artifacts.js";
import { audit } from "./audit.js";
import {
  attend,
  findFollower,
  listBehind,
  measureLag,
  openFollower,
  pruneChanges,
  readChanges,
  saveCursor,
} from "./change-feed.js";
import { loadCheckpoint } from "./checkpoints.js";
import { writeCopies } from "./copies.js";
import { appendDrawn, settleSeq, type Hold } from "./drawn-numbers.js";
import { expiry } from "./expiry.js";
import { fetchByKeys } from "./fetch-by-keys.js";
import { expectedIndexRow, listDerived, readDerived, replaceProjection } from "./derived-data.js";
import { eraseRun } from "./erasure.js";
import { fetchEvents } from "./fetch-events.js";
import { fetchHeads, listHeads } from "./heads.js";
import { listKeyframes, loadKeyframe, makeKeyframes } from "./keyframes.js";
import { acquireLeases, heartbeat, listWorkers, releaseLeases } from "./leases.js";
import { limits } from "./limits.js";
import { outbox } from "./outbox.js";
import { listPlans, listUnserved, loadNotes, loadPlan, registerPlan } from "./plans.js";
import { claimRuns, heldRuns } from "./queue-claim.js";
import { countQueue, inspectRun, listQueue } from "./queue-inspect.js";
import { parkRun } from "./queue-park.js";
import { startRun } from "./queue-start.js";
import { retention } from "./retention.js";
import { runIndex } from "./run-index.js";
import { schedules } from "./schedules.js";
import { deleteProjection, getSnapshot, listStale, listSteps, readProjection, saveProjection } from "./snapshots.js";
import { emptyTables, type Tables } from "./tables.js";
import { datasets } from "./datasets.js";
import { triggers } from "./triggers.js";
import { alerts } from "./alerts.js";

export interface MemoryStoreOptions {
  /** The store's clock, in milliseconds since 1970. Defaults to the clock of this machine. */
  readonly now?: () => number;
  /** `false` draws numbers before events are stored, so that gaps appear and fill later (P10). For tests of readers. */
  readonly contiguous?: boolean;
  /** Called between drawing numbers and storing events, if `contiguous` is `false`. */
  readonly hold?: Hold;
  /** Opens another handle on the content of this store, like another process would. */
  readonly shares?: MemoryStore;
}

const capabilities: Capabilities = {
  contiguous: true,
  durable: false,
  maxEventsPerRunAndCall: null,
  checkpointInAppend: true,
  gatheringWindowMs: 0,
  maxPayloadBytes: MAX_EVENT_BYTES,
  typicalAppendMs: 0.1,
  lagMs: 0,
};

const BATCH = { maxEvents: 10_000, maxBytes: 64 * 1024 * 1024, maxBatchesInFlight: 4 };

/** The reference store: implements the rules of the contract directly. Its content is lost when the process ends. */
export class MemoryStore extends StoreLog implements FullStateStore {
  readonly capabilities: Capabilities;
  readonly feed: ChangeFeed;
  readonly snapshots: SnapshotStore;
  readonly index: RunIndex;
  readonly keyframes: Keyframes;
  readonly derived: DerivedData;
  readonly checkpoints: Checkpoints;
  readonly leases: Leases;
  readonly archive: Archive;
  readonly copies: Copies;
  readonly queue: RunQueue;
  readonly limits: Limits;
  readonly artifacts: Artifacts;
  readonly plans: Plans;
  readonly access: Access;
  readonly audit: Audit;
  readonly schedules: Schedules;
  readonly outbox: OutboxStore;
  readonly retention: RetentionStore;
  readonly expiry: ArtifactExpiry;
  readonly triggers: TriggerStore;
  readonly alerts: AlertStore;
  readonly datasets: DatasetIndex;
  readonly erasure: Erasure;
  readonly settling?: Settling;
  readonly #tables: Tables;
  readonly #log: LogOperations;
  readonly #coalescer: Coalescer;

  constructor({ now = Date.now, contiguous = true, hold = () => {}, shares }: MemoryStoreOptions = {}) {
    const tables = shares === undefined ? emptyTables(now) : shares.#tables;
    const log = logOperations(tables, contiguous ? null : hold);
    const coalescer = new Coalescer({ ...BATCH, send: log.send, soon: queueMicrotask });
    super(log, coalescer);
    this.capabilities = { ...capabilities, contiguous };
    if (!contiguous) this.settling = { settleSeq: async (params) => settleSeq(tables, params) };
    this.#tables = tables;
    this.#log = log;
    this.#coalescer = coalescer;
    const open = coalescer.assertOpen;
    this.feed = checkedFeed(changeFeed(tables), open);
    this.snapshots = checkedSnapshots(snapshotStore(tables), open);
    this.index = checkedIndex(runIndex(tables), open);
    this.keyframes = keyframes(tables);
    this.derived = derivedData(tables);
    this.checkpoints = checkedCheckpoints({ loadCheckpoint: async (runId) => loadCheckpoint(tables, runId) }, open);
    this.leases = checkedLeases(leases(tables), open);
    this.archive = checkedArchive({ archiveRun: async (runId) => archiveRun(tables, runId) }, open);
    this.copies = checkedCopies(async (copies) => writeCopies(tables, copies), open);
    this.queue = checkedQueue(queue(tables), open);
    this.limits = checkedLimits(limits(tables), open);
    this.artifacts = artifacts(tables, undefined);
    this.access = checkedAccess(access(tables), open);
    this.audit = checkedAudit(audit(tables), open);
    this.plans = checkedPlans(plans(tables), open);
    this.schedules = checkedSchedules(schedules(tables), open);
    this.outbox = checkedOutbox(outbox(tables), open);
    this.retention = checkedRetention(retention(tables), open);
    this.expiry = checkedExpiry(expiry(tables), open);
    this.triggers = checkedTriggers(triggers(tables), open);
    this.alerts = checkedAlerts(alerts(tables), open);
    this.datasets = checkedDatasets(datasets(tables), open);
    this.erasure = checkedErasure({ eraseRun: async (request) => eraseRun(tables, request) }, open);
  }

  forTenant(tenantId: string): TenantStore {
    const log = new StoreLog(this.#log, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
    return Object.assign(log, { artifacts: artifacts(this.#tables, tenantId) });
  }

  close(): Promise<void> {
    return this.#coalescer.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function logOperations(tables: Tables, hold: Hold | null): LogOperations {
  return {
    send: (parts) => Promise.all(parts.map(async (part) => append(tables, part, hold))),
    contiguous: hold === null,
    fetchEvents: async (params) => fetchEvents(tables, params),
    fetchByKeys: async (params) => fetchByKeys(tables, params),
    fetchHeads: async (params) => fetchHeads(tables, params),
    listHeads: async (params) => listHeads(tables, params),
    getSnapshot: async (params) => getSnapshot(tables, params),
  };
}

function append(tables: Tables, part: RunAppend, hold: Hold | null): RunOutcome | Promise<RunOutcome> {
  return hold === null ? appendPart(tables, part) : appendDrawn(tables, part, hold);
}

function changeFeed(tables: Tables): ChangeFeed {
  return {
    openFollower: async (follower) => openFollower(tables, follower),
    readChanges: async (cursor, { limit = 1000 } = {}) => readChanges(tables, cursor, limit),
    findFollower: async (follower) => findFollower(tables, follower),
    listBehind: async ({ afterRunId = "", limit = 10_000 } = {}) => listBehind(tables, afterRunId, limit),
    saveCursor: async (cursor) => saveCursor(tables, cursor),
    removeFollower: async (follower) => void tables.followers.delete(follower),
    measureLag: async ({ group }) => measureLag(tables, group),
    pruneChanges: async () => pruneChanges(tables),
    fetchRuns: async (runs, { limit = 1000 } = {}) =>
      runs.map((run) => fetchEvents(tables, { ...run, limit, toSeq: Number.MAX_SAFE_INTEGER, tenantId: undefined })),
    attend: async (params) => attend(tables, params),
    leave: async ({ group, member }) => void tables.members.get(group)?.delete(member),
  };
}

function snapshotStore(tables: Tables): SnapshotStore {
  return {
    readProjection: async (params) => readProjection(tables, params),
    readProjections: async (params) => params.map((each) => readProjection(tables, each)),
    listStale: async ({ afterRunId = "", limit = 1000 } = {}) => listStale(tables, { afterRunId, limit }),
    listSteps: async ({ runId, afterOrdinal = -1, limit = 1000 }) => listSteps(tables, { runId, afterOrdinal, limit }),
    saveProjection: async (change) => saveProjection(tables, change),
    saveProjections: async (changes) => changes.map((change) => saveProjection(tables, change)),
    deleteProjection: async (runId) => deleteProjection(tables, runId),
  };
}

function keyframes(tables: Tables): Keyframes {
  return {
    makeKeyframes: async (runIds) => makeKeyframes(tables, runIds),
    loadKeyframe: async (params) => loadKeyframe(tables, params),
    listKeyframes: async (runId) => listKeyframes(tables, runId),
  };
}

function derivedData(tables: Tables): DerivedData {
  return {
    readDerived: async (runId) => readDerived(tables, runId),
    expectedIndexRow,
    listDerived: async (params) => listDerived(tables, params),
    replaceProjection: async (rebuilt) => replaceProjection(tables, rebuilt),
    changedEvents: async () => [], // nothing outside of the process can change an event
    wrongCounts: async () => 0, // counts are computed on every read
    recount: async () => {},
  };
}

function leases(tables: Tables): Leases {
  return {
    heartbeat: async (params) => heartbeat(tables, params),
    acquireLeases: async (params) => acquireLeases(tables, params),
    releaseLeases: async (params) => releaseLeases(tables, params),
    retireWorker: async (workerId) => void tables.workers.delete(workerId),
    listWorkers: async () => listWorkers(tables),
  };
}

function queue(tables: Tables): RunQueue {
  return {
    startRun: async (start) => startRun(tables, start),
    claimRuns: async (params) => claimRuns(tables, params),
    heldRuns: async (workerId) => heldRuns(tables, workerId),
    parkRun: async (params) => parkRun(tables, params),
    inspectRun: async (runId) => inspectRun(tables, runId),
    listQueue: async (page) => listQueue(tables, page),
    countQueue: async () => countQueue(tables),
  };
}

function plans(tables: Tables): Plans {
  return {
    registerPlan: async (plan, notes) => registerPlan(tables, plan, notes),
    loadNotes: async (ref) => loadNotes(tables, ref),
    loadPlan: async (ref) => loadPlan(tables, ref),
    listPlans: async ({ planId, after, limit = 1000, withSource = false } = {}) =>
      listPlans(tables, { planId, after, limit, withSource }),
    listUnserved: async () => listUnserved(tables),
  };
}
