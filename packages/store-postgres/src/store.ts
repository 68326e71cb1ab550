import {
  MAX_EVENT_BYTES,
  type Access,
  type AlertStore,
  type Archive,
  type ArchiveOutcome,
  type EraseOutcome,
  type EraseRequest,
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
} from "@runledger/contracts";
import {
  checkedAccess,
  checkedAlerts,
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
  Coalescer,
  StoreLog,
  type LogOperations,
  type SendBatch,
} from "@runledger/core/store";
import { drawnAppender, type NumberSource } from "./append-drawn.js";
import { batchAppender } from "./append-events.js";
import { authorityFor, checkAuthority, type AppendAuthority, type AuthorityOptions } from "./authority.js";
import { access } from "./access.js";
import { alerts } from "./alerts.js";
import { archiveRun } from "./archive.js";
import { artifacts } from "./artifacts.js";
import { audit } from "./audit.js";
import { findFollower, openFollower, readChanges, removeFollower, saveCursor } from "./change-feed.js";
import { loadCheckpoint } from "./checkpoints.js";
import { connect, type Database } from "./client.js";
import { writeCopies } from "./copies.js";
import { datasets } from "./datasets.js";
import { expiry } from "./expiry.js";
import { fetchByKeys } from "./fetch-by-keys.js";
import { measureLag } from "./feed-lag.js";
import { attend, leave } from "./feed-members.js";
import { boundRegularly, pruneChanges } from "./feed-prune.js";
import {
  changedEvents,
  expectedIndexRow,
  listDerived,
  readDerived,
  recount,
  replaceProjection,
  wrongCounts,
} from "./derived-data.js";
import { eraseRun } from "./erasure.js";
import { eventFetcher } from "./fetch-events.js";
import { fetchRuns } from "./fetch-runs.js";
import { fetchHeads, listHeads } from "./heads.js";
import { listKeyframes, loadKeyframe, makeKeyframes } from "./keyframes.js";
import { acquireLeases, heartbeat, listWorkers, releaseLeases, retireWorker } from "./leases.js";
import { limits } from "./limits.js";
import { listBehind } from "./list-behind.js";
import { checkSchema, loadMigrations, migrate } from "./migrate.js";
import { oldestSnapshotMs } from "./open-snapshots.js";
import { partitionsFor } from "./partitions.js";
import { outbox } from "./outbox.js";
import { listPlans, loadNotes, loadPlan, registerPlan } from "./plans.js";
import { claimRuns, heldRuns } from "./queue-claim.js";
import { countQueue, inspectRun, listQueue } from "./queue-inspect.js";
import { parkRun } from "./queue-park.js";
import { retention } from "./retention.js";
import { runIndex } from "./run-index.js";
import { batchStarts } from "./queue-start-batches.js";
import { redisCounters } from "./redis-counters.js";
import { runSequences } from "./run-sequences.js";
import { saveProjections } from "./save-projections.js";
import { schedules } from "./schedules.js";
import { settling } from "./settling.js";
import { timeLimits, type TimeLimitOptions } from "./time-limits.js";
import { triggers } from "./triggers.js";
import { listUnserved } from "./unserved-plans.js";
import { deleteProjection, getSnapshot, listStale, listSteps, readProjections } from "./snapshots.js";

export interface PostgresStoreOptions extends TimeLimitOptions, AuthorityOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** `false` refuses a database whose schema is behind, instead of migrating it. */
  readonly migrate?: boolean;
  /**
   * Number of hash partitions of the log, chosen when the schema is created. Default 0: none. Also a parameter of the URL:
   * `postgres://…?partitions=16`. Another number than the database has is refused.
   */
  readonly partitions?: number;
  /** Default 10. */
  readonly poolSize?: number;
  /** How long a call waits for a free connection before it fails with STORE_BUSY. Default 30 seconds. */
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

/** The largest batch that does not delay its neighbors. */
const BATCH = { maxEvents: 500, maxBytes: 4 * 1024 * 1024, maxBatchesInFlight: 4, worthABatch: 32 };

/** The ledger on PostgreSQL 14 and later. */
export class PostgresStore extends StoreLog implements FullStateStore {
  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    const { url, poolSize = 10, connectTimeoutMs = 30_000 } = options;
    const partitions = partitionsFor(url, options.partitions);
    const chosen = authorityFor(url, options);
    const db = await connect({ url, poolSize, connectTimeoutMs, ...timeLimits(url, options) });
    try {
      const migrations = await loadMigrations();
      if (options.migrate === false) await checkSchema(db, migrations);
      else await migrate(db, migrations, { partitions, authority: chosen.authority });
      const authority = await checkAuthority(db.read, chosen);
      return new PostgresStore(db, numberSource(db, authority, chosen.redis, url));
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  readonly capabilities: Capabilities;
  readonly settling?: Settling;
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
  readonly #db: Database;
  readonly #log: LogOperations;
  readonly #coalescer: Coalescer;
  readonly #numbers: NumberSource | null;
  #closing: Promise<void> | null = null;

  private constructor(db: Database, numbers: NumberSource | null) {
    const log = logOperations(db, numbers);
    const coalescer = new Coalescer({ ...BATCH, send: log.send, soon: setImmediate, alone: queueMicrotask });
    super(log, coalescer);
    this.#db = db;
    this.#log = log;
    this.#coalescer = coalescer;
    this.#numbers = numbers;
    this.capabilities = numbers === null ? capabilities : { ...capabilities, contiguous: false };
    if (numbers !== null) this.settling = settling(db);
    const open = coalescer.assertOpen;
    this.feed = checkedFeed(changeFeed(db), open);
    this.snapshots = checkedSnapshots(snapshotStore(db), open);
    this.index = checkedIndex(runIndex(db), open);
    this.keyframes = keyframes(db);
    this.derived = derivedData(db);
    this.checkpoints = checkedCheckpoints({ loadCheckpoint: (runId) => loadCheckpoint(db, runId) }, open);
    this.leases = checkedLeases(leases(db), open);
    this.archive = checkedArchive({ archiveRun: (runId) => this.#archive(runId) }, open);
    this.copies = checkedCopies((copies) => writeCopies(db, copies), open);
    this.queue = checkedQueue(queue(db), open);
    this.limits = checkedLimits(limits(db), open);
    this.artifacts = artifacts(db);
    this.access = checkedAccess(access(db), open);
    this.audit = checkedAudit(audit(db), open);
    this.plans = checkedPlans(plans(db), open);
    this.schedules = checkedSchedules(schedules(db), open);
    this.outbox = checkedOutbox(outbox(db), open);
    this.retention = checkedRetention(retention(db, numbers?.clean), open);
    this.expiry = checkedExpiry(expiry(db), open);
    this.triggers = checkedTriggers(triggers(db), open);
    this.alerts = checkedAlerts(alerts(db), open);
    this.datasets = checkedDatasets(datasets(db), open);
    this.erasure = checkedErasure({ eraseRun: (request) => this.#erase(request) }, open);
  }

  /** A finished run has no writers, so a gap that is left is dead (P10). */
  async #archive(runId: string): Promise<ArchiveOutcome> {
    await this.settling?.settleSeq({ runId, seq: Number.MAX_SAFE_INTEGER });
    return archiveRun(this.#db, this, runId);
  }

  /** An erasure replaces the projection by the fold of all events, so no event may appear below the head later. */
  async #erase(request: EraseRequest): Promise<EraseOutcome> {
    await this.settling?.settleSeq({ runId: request.runId, seq: Number.MAX_SAFE_INTEGER });
    return eraseRun(this.#db, request);
  }

  forTenant(tenantId: string): TenantStore {
    const log = new StoreLog(this.#log, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
    return Object.assign(log, { artifacts: artifacts(this.#db, tenantId) });
  }

  oldestSnapshotMs(): Promise<number | null> {
    return oldestSnapshotMs(this.#db);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#coalescer.close();
    await this.#numbers?.close();
    await this.#db.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Returns `null` if the lock of the head numbers the events (P2). */
function numberSource(
  db: Database,
  authority: AppendAuthority,
  redis: string | null,
  url: string,
): NumberSource | null {
  if (authority === "head") return null;
  return authority === "sequence" ? runSequences(db) : redisCounters({ url: redis!, database: url });
}

function logOperations(db: Database, numbers: NumberSource | null): LogOperations {
  const send: SendBatch = numbers === null ? batchAppender(db) : drawnAppender(db, numbers);
  return {
    send: boundRegularly(db, send),
    contiguous: numbers === null,
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
    findFollower: (follower) => findFollower(db, follower),
    listBehind: ({ afterRunId = "", limit = 10_000 } = {}) => listBehind(db, { afterRunId, limit }),
    saveCursor: (cursor) => saveCursor(db, cursor),
    removeFollower: (follower) => removeFollower(db, follower),
    measureLag: ({ group, ignoreMs = 0 }) => measureLag(db, group, ignoreMs),
    pruneChanges: () => pruneChanges(db),
    fetchRuns: (runs, { limit = 1000, maxBytes = Number.MAX_SAFE_INTEGER } = {}) =>
      fetchRuns(db, runs, limit, maxBytes),
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
    changedEvents: (runId) => changedEvents(db, runId),
    wrongCounts: () => wrongCounts(db),
    recount: () => recount(db),
  };
}

function leases(db: Database): Leases {
  return {
    heartbeat: (params) => heartbeat(db.reserved, params),
    acquireLeases: (params) => acquireLeases(db, params),
    releaseLeases: (params) => releaseLeases(db, params),
    retireWorker: (workerId) => retireWorker(db, workerId),
    listWorkers: () => listWorkers(db),
  };
}

function queue(db: Database): RunQueue {
  return {
    startRun: batchStarts(db),
    claimRuns: (params) => claimRuns(db.reserved, params),
    heldRuns: (workerId) => heldRuns(db.reserved, workerId),
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
