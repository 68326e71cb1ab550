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
  type SnapshotStore,
  type TenantStore,
  type AlertStore,
  type TriggerStore,
} from "@runledger/contracts";
import {
  checkedAccess,
  checkedArchive,
  checkedAudit,
  checkedCheckpoints,
  checkedCopies,
  checkedErasure,
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
  checkedAlerts,
  checkedTriggers,
  Coalescer,
  StoreLog,
  type LogOperations,
} from "@runledger/core/store";
import { access } from "./access.js";
import { MAX_BYTES, MAX_EVENTS } from "./append-limits.js";
import { archiveRun } from "./archive.js";
import { artifacts } from "./artifacts.js";
import { audit } from "./audit.js";
import { sendBatch } from "./batches.js";
import { DynamoClient, type RetryLimits } from "./client.js";
import { StoreClock } from "./clock.js";
import { loadCheckpoint } from "./checkpoints.js";
import { parseDynamoUrl, type DynamoTarget } from "./connection-url.js";
import { writeCopies } from "./copies.js";
import type { Db } from "./db.js";
import { openDriver } from "./driver.js";
import { eraseRun } from "./erasure.js";
import { fetchByKeys } from "./fetch-by-keys.js";
import { fetchEvents } from "./fetch-events.js";
import { HeadCache } from "./head-cache.js";
import { fetchHeads, listHeads } from "./heads.js";
import { Lanes } from "./lanes.js";
import { limits } from "./limits.js";
import { assertLayout, migrate } from "./migrate.js";
import { outbox } from "./outbox.js";
import { changeFeed, derivedData, keyframes, leases, plans, queue, snapshotStore } from "./ports.js";
import { retention } from "./retention.js";
import { runIndex } from "./run-index.js";
import { schedules } from "./schedules.js";
import { getSnapshot } from "./snapshots.js";
import { triggers } from "./triggers.js";
import { alerts } from "./alerts.js";

export interface DynamoStoreOptions extends Partial<DynamoTarget> {
  /** `dynamodb://<region>/<table>?endpoint=…`. Replaces `region`, `table` and `endpoint`. */
  readonly url?: string;
  /** `false` refuses a missing table instead of creating it. Defaults to `true`. */
  readonly migrate?: boolean;
  /** Time without a response after which a request is repeated. Defaults to 5 s. */
  readonly answerTimeoutMs?: number;
  readonly retries?: Partial<RetryLimits>;
}

const ANSWER_TIMEOUT_MS = 5_000;

const capabilities: Capabilities = {
  contiguous: true,
  durable: true,
  maxEventsPerRunAndCall: MAX_EVENTS,
  maxBytesPerRunAndCall: MAX_BYTES,
  checkpointInAppend: true,
  gatheringWindowMs: 0,
  maxPayloadBytes: MAX_EVENT_BYTES,
  typicalAppendMs: 15,
  lagMs: 0,
};

/** A batch has a transaction per run; calls of a hot run gather while its last one is in flight. */
const BATCH = { maxEvents: 10 * MAX_EVENTS, maxBytes: MAX_BYTES, maxBatchesInFlight: 16, worthABatch: 1 };

/** Opens a client on the table without using it. */
async function openClient(options: DynamoStoreOptions): Promise<DynamoClient> {
  const { region, table, endpoint } = options.url === undefined ? options : parseDynamoUrl(options.url);
  const clock = new StoreClock();
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const driver = await openDriver({ region, endpoint, answerTimeoutMs, onDate: clock.observe });
  return new DynamoClient(driver, table ?? "runledger", clock, options.retries);
}

/** Opens the table. Creates it if it is missing. */
export async function openTable(options: DynamoStoreOptions): Promise<DynamoClient> {
  const client = await openClient(options);
  try {
    await (options.migrate === false ? assertLayout(client) : migrate(client));
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Creates the table if it is missing. Returns `false` if nothing was to be done. */
export async function migrateTable(options: DynamoStoreOptions): Promise<boolean> {
  const client = await openClient(options);
  try {
    return await migrate(client);
  } finally {
    client.close();
  }
}

/** A store in one table of DynamoDB. Any number of processes can use the same table. */
export class DynamoStore extends StoreLog implements FullStateStore {
  readonly capabilities: Capabilities = capabilities;
  readonly feed: ChangeFeed;
  readonly snapshots: SnapshotStore;
  readonly index: RunIndex;
  readonly keyframes: Keyframes;
  readonly derived: DerivedData;
  readonly checkpoints: Checkpoints;
  readonly leases: Leases;
  readonly archive: Archive;
  readonly artifacts: Artifacts;
  readonly copies: Copies;
  readonly erasure: Erasure;
  readonly outbox: OutboxStore;
  readonly retention: RetentionStore;
  readonly queue: RunQueue;
  readonly limits: Limits;
  readonly access: Access;
  readonly audit: Audit;
  readonly plans: Plans;
  readonly schedules: Schedules;
  readonly triggers: TriggerStore;
  readonly alerts: AlertStore;
  readonly #db: Db;
  readonly #log: LogOperations;
  readonly #coalescer: Coalescer;

  static async open(options: DynamoStoreOptions): Promise<DynamoStore> {
    const client = await openTable(options);
    return new DynamoStore({ client, lanes: new Lanes(client), heads: new HeadCache() });
  }

  private constructor(db: Db) {
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
    this.archive = checkedArchive({ archiveRun: (runId) => archiveRun(db, runId) }, open);
    this.artifacts = artifacts(db, undefined);
    this.copies = checkedCopies((copies) => writeCopies(db, copies), open);
    this.erasure = checkedErasure({ eraseRun: (request) => eraseRun(db, request) }, open);
    this.outbox = checkedOutbox(outbox(db), open);
    this.retention = checkedRetention(retention(db), open);
    this.queue = checkedQueue(queue(db), open);
    this.limits = checkedLimits(limits(db), open);
    this.access = checkedAccess(access(db), open);
    this.audit = checkedAudit(audit(db), open);
    this.plans = checkedPlans(plans(db), open);
    this.schedules = checkedSchedules(schedules(db), open);
    this.triggers = checkedTriggers(triggers(db), open);
    this.alerts = checkedAlerts(alerts(db), open);
  }

  forTenant(tenantId: string): TenantStore {
    const log = new StoreLog(this.#log, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
    return Object.assign(log, { artifacts: artifacts(this.#db, tenantId) });
  }

  /** Requests sent so far, for tests and diagnosis. */
  get requests(): number {
    return this.#db.client.requests;
  }

  async close(): Promise<void> {
    await this.#coalescer.close();
    this.#db.client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function logOperations(db: Db): LogOperations {
  return {
    send: (parts) => sendBatch(db, parts),
    fetchEvents: (params) => fetchEvents(db, params),
    fetchByKeys: (params) => fetchByKeys(db, params),
    fetchHeads: (params) => fetchHeads(db, params),
    listHeads: (params) => listHeads(db, params),
    getSnapshot: (params) => getSnapshot(db, params),
  };
}
