import {
  MAX_EVENT_BYTES,
  type Access,
  type Archive,
  type Artifacts,
  type Audit,
  type Capabilities,
  type ChangeFeed,
  type Checkpoints,
  type Copies,
  type DerivedData,
  type FullStateStore,
  type Keyframes,
  type Leases,
  type Limits,
  type Plans,
  type RunIndex,
  type RunQueue,
  type Schedules,
  type SnapshotStore,
  type TenantStore,
} from "@runledger/contracts";
import {
  checkedAccess,
  checkedArchive,
  checkedAudit,
  checkedCheckpoints,
  checkedCopies,
  checkedFeed,
  checkedIndex,
  checkedLeases,
  checkedLimits,
  checkedPlans,
  checkedQueue,
  checkedSchedules,
  checkedSnapshots,
  Coalescer,
  StoreLog,
  type LogOperations,
} from "@runledger/core/store";
import { batchAppender } from "./append-events.js";
import { access } from "./access.js";
import { archiveRun } from "./archive.js";
import { artifacts } from "./artifacts.js";
import { audit } from "./audit.js";
import { openFollower, pruneChanges, readChanges, removeFollower, saveCursor } from "./change-feed.js";
import { loadCheckpoint } from "./checkpoints.js";
import { connect, type Database } from "./client.js";
import { writeCopies } from "./copies.js";
import { fetchByKeys } from "./fetch-by-keys.js";
import { attend, leave } from "./feed-members.js";
import { expectedIndexRow, listDerived, readDerived, recount, replaceProjection, wrongCounts } from "./derived-data.js";
import { eventFetcher } from "./fetch-events.js";
import { fetchRuns } from "./fetch-runs.js";
import { fetchHeads, listHeads } from "./heads.js";
import { listKeyframes, loadKeyframe, makeKeyframes } from "./keyframes.js";
import { acquireLeases, heartbeat, listWorkers, releaseLeases, retireWorker } from "./leases.js";
import { limits } from "./limits.js";
import { checkSchema, loadMigrations, migrate } from "./migrate.js";
import { listPlans, loadNotes, loadPlan, registerPlan } from "./plans.js";
import { claimRuns, heldRuns } from "./queue-claim.js";
import { countQueue, inspectRun, listQueue } from "./queue-inspect.js";
import { parkRun } from "./queue-park.js";
import { runIndex } from "./run-index.js";
import { runStarter } from "./run-starter.js";
import { saveProjections } from "./save-projections.js";
import { schedules } from "./schedules.js";
import { listUnserved } from "./unserved-plans.js";
import { deleteProjection, getSnapshot, listStale, listSteps, readProjections } from "./snapshots.js";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** False = refuse a database whose schema is behind, instead of bringing it up to date. */
  readonly migrate?: boolean;
  /** Hash partitions of the log, chosen when the schema is made. Default 0: none. */
  readonly partitions?: number;
  /** Default 10. */
  readonly poolSize?: number;
  /** How long a call waits for a free connection before it says STORE_BUSY. Default 30 seconds. */
  readonly connectTimeoutMs?: number;
}

const capabilities: Capabilities = {
  contiguous: true,
  durable: true,
  maxEventsPerRunAndCall: null,
  checkpointInAppend: true,
  gatheringWindowMs: 0,
  maxPayloadBytes: MAX_EVENT_BYTES,
  typicalAppendMs: 2,
  lagMs: 0,
};

/** What one statement carries without making its neighbours wait. */
const BATCH = { maxEvents: 500, maxBytes: 4 * 1024 * 1024, maxBatchesInFlight: 4, worthABatch: 32 };

/** The ledger on PostgreSQL 14 and later. */
export class PostgresStore extends StoreLog implements FullStateStore {
  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    const { url, poolSize = 10, connectTimeoutMs = 30_000, partitions = 0 } = options;
    const db = await connect({ url, poolSize, connectTimeoutMs });
    try {
      const migrations = await loadMigrations();
      if (options.migrate === false) await checkSchema(db, migrations);
      else await migrate(db, migrations, { partitions });
      return new PostgresStore(db);
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  readonly capabilities = capabilities;
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
  readonly #db: Database;
  readonly #log: LogOperations;
  readonly #coalescer: Coalescer;
  #closing: Promise<void> | null = null;

  private constructor(db: Database) {
    const log = logOperations(db);
    const coalescer = new Coalescer({ ...BATCH, send: log.send, soon: setImmediate, alone: queueMicrotask });
    super(log, coalescer);
    this.#db = db;
    this.#log = log;
    this.#coalescer = coalescer;
    const open = coalescer.assertOpen;
    this.feed = checkedFeed(changeFeed(db), open);
    this.snapshots = checkedSnapshots(snapshotStore(db), open);
    this.index = checkedIndex(runIndex(db), open);
    this.keyframes = keyframes(db);
    this.derived = derivedData(db);
    this.checkpoints = checkedCheckpoints({ loadCheckpoint: (runId) => loadCheckpoint(db, runId) }, open);
    this.leases = checkedLeases(leases(db), open);
    this.archive = checkedArchive({ archiveRun: (runId) => archiveRun(db, this, runId) }, open);
    this.copies = checkedCopies((copies) => writeCopies(db, copies), open);
    this.queue = checkedQueue(queue(db), open);
    this.limits = checkedLimits(limits(db), open);
    this.artifacts = artifacts(db);
    this.access = checkedAccess(access(db), open);
    this.audit = checkedAudit(audit(db), open);
    this.plans = checkedPlans(plans(db), open);
    this.schedules = checkedSchedules(schedules(db), open);
  }

  forTenant(tenantId: string): TenantStore {
    const log = new StoreLog(this.#log, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
    return Object.assign(log, { artifacts: artifacts(this.#db, tenantId) });
  }

  close(): Promise<void> {
    this.#closing ??= this.#coalescer.close().then(() => this.#db.close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function logOperations(db: Database): LogOperations {
  return {
    send: batchAppender(db),
    fetchEvents: eventFetcher(db),
    fetchByKeys: (params) => fetchByKeys(db, params),
    fetchHeads: (params) => fetchHeads(db, params),
    listHeads: (params) => listHeads(db, params),
    getSnapshot: (params) => getSnapshot(db, params),
  };
}

function changeFeed(db: Database): ChangeFeed {
  return {
    openFollower: (follower) => openFollower(db, follower),
    readChanges: (cursor, { limit = 1000 } = {}) => readChanges(db, cursor, limit),
    saveCursor: (cursor) => saveCursor(db, cursor),
    removeFollower: (follower) => removeFollower(db, follower),
    pruneChanges: () => pruneChanges(db),
    fetchRuns: (runs, { limit = 1000 } = {}) => fetchRuns(db, runs, limit),
    attend: (params) => attend(db, params),
    leave: (params) => leave(db, params),
  };
}

function snapshotStore(db: Database): SnapshotStore {
  return {
    readProjection: async (params) => (await readProjections(db, [params]))[0]!,
    readProjections: (params) => readProjections(db, params),
    listStale: ({ afterRunId = "", limit = 1000 } = {}) => listStale(db, { afterRunId, limit }),
    listSteps: ({ runId, afterOrdinal = -1, limit = 1000 }) => listSteps(db, { runId, afterOrdinal, limit }),
    saveProjection: async (change) => (await saveProjections(db, [change]))[0]!,
    saveProjections: (changes) => saveProjections(db, changes),
    deleteProjection: (runId) => deleteProjection(db, runId),
  };
}

function keyframes(db: Database): Keyframes {
  return {
    makeKeyframes: (runIds) => makeKeyframes(db, runIds),
    loadKeyframe: (params) => loadKeyframe(db, params),
    listKeyframes: (runId) => listKeyframes(db, runId),
  };
}

function derivedData(db: Database): DerivedData {
  return {
    readDerived: (runId) => readDerived(db, runId),
    expectedIndexRow,
    listDerived: (params) => listDerived(db, params),
    replaceProjection: (rebuilt) => replaceProjection(db, rebuilt),
    wrongCounts: () => wrongCounts(db),
    recount: () => recount(db),
  };
}

function leases(db: Database): Leases {
  return {
    heartbeat: (params) => heartbeat(db, params),
    acquireLeases: (params) => acquireLeases(db, params),
    releaseLeases: (params) => releaseLeases(db, params),
    retireWorker: (workerId) => retireWorker(db, workerId),
    listWorkers: () => listWorkers(db),
  };
}

function queue(db: Database): RunQueue {
  return {
    startRun: runStarter(db),
    claimRuns: (params) => claimRuns(db, params),
    heldRuns: (workerId) => heldRuns(db, workerId),
    parkRun: (params) => parkRun(db, params),
    inspectRun: (runId) => inspectRun(db, runId),
    listQueue: (page) => listQueue(db, page),
    countQueue: () => countQueue(db),
  };
}

function plans(db: Database): Plans {
  return {
    registerPlan: (plan, notes) => registerPlan(db, plan, notes),
    loadNotes: (ref) => loadNotes(db, ref),
    loadPlan: (ref) => loadPlan(db, ref),
    listPlans: ({ planId, after, limit = 1000, withSource = false } = {}) =>
      listPlans(db, { planId, after, limit, withSource }),
    listUnserved: () => listUnserved(db),
  };
}
