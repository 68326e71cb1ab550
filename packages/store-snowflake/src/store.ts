import {
  MAX_EVENT_BYTES,
  type Archive,
  type Capabilities,
  type Checkpoints,
  type Copies,
  type LockService,
  type SnapshotStore,
  type StateStore,
  type TenantStore,
} from "@runledger/contracts";
import {
  checkedArchive,
  checkedCheckpoints,
  checkedCopies,
  checkedSnapshots,
  Coalescer,
  StoreLog,
  type LogOperations,
} from "@runledger/core/store";
import { batchAppender } from "./append-events.js";
import { archiveRun } from "./archive.js";
import { loadCheckpoint } from "./checkpoints.js";
import { connect, type Database } from "./client.js";
import { parseSnowflakeUrl, type Credentials, type Shape, type SnowflakeTarget } from "./connection-url.js";
import { writeCopies } from "./copies.js";
import { fetchByKeys } from "./fetch-by-keys.js";
import { fetchEvents, streamEvents } from "./fetch-events.js";
import { fetchHeads, listHeads } from "./heads.js";
import { openLock, type OpenedLock } from "./load-locks.js";
import { writer, type Write } from "./locked-writes.js";
import { checkSchema, migrate } from "./migrate.js";
import { saveProjections } from "./save-projections.js";
import { deleteProjection, getSnapshot, listStale, listSteps, readProjections } from "./snapshots.js";
import { checkWriters } from "./writers.js";

export interface SnowflakeStoreOptions extends Credentials {
  /** `snowflake://user@account/DATABASE/SCHEMA?warehouse=…&role=…`, or the same as an object. */
  readonly url: string | SnowflakeTarget;
  /** `false` refuses a schema that is behind, instead of migrating it. */
  readonly migrate?: boolean;
  /** Default 6. */
  readonly poolSize?: number;
  /** How long appends wait for others to share their commit, which costs hundreds of milliseconds. Default 50. */
  readonly gatheringWindowMs?: number;
  /** How long to wait for a response before the outcome is unknown. Default 150 seconds. */
  readonly answerTimeoutMs?: number;
  /**
   * A distributed lock, under which several processes append to standard tables: `redis://…`, `zookeeper://…`, or a service.
   * The parameter `lock` of the URL is the same.
   */
  readonly lock?: string | LockService;
  /** Time after which the lock of a writer that is lost expires. Default 15 seconds. */
  readonly lockTtlMs?: number;
}

const GATHERING_WINDOW_MS = 50;

const capabilities: Capabilities = {
  contiguous: true,
  durable: true,
  maxEventsPerRunAndCall: null,
  checkpointInAppend: true,
  gatheringWindowMs: GATHERING_WINDOW_MS,
  maxPayloadBytes: MAX_EVENT_BYTES,
  typicalAppendMs: 600,
  lagMs: 60_000, // a warehouse that is polled every second never suspends
};

/** Standard tables are locked as a whole: a second batch would only wait there instead of here, with fewer events. */
const BATCHES: Readonly<Record<Shape, number>> = { hybrid: 4, standard: 1 };
const BATCH = { maxEvents: 5000, maxBytes: 8 * 1024 * 1024 };

/** The ledger on Snowflake: log, snapshots, checkpoints and archive. It has no queue and no leases. */
export class SnowflakeStore extends StoreLog implements StateStore {
  static async open(options: SnowflakeStoreOptions): Promise<SnowflakeStore> {
    const target = resolveTarget(options);
    const lock = await openLock(target, options.lock, options.lockTtlMs);
    const db = await connect(target, options.poolSize ?? 6, options.answerTimeoutMs);
    const { shape = "hybrid" } = target;
    try {
      await (options.migrate === false ? checkSchema(db, shape) : migrate(db, shape));
      await checkWriters(db, target, lock !== null);
      return new SnowflakeStore(db, { shape, lock }, options.gatheringWindowMs ?? GATHERING_WINDOW_MS);
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  readonly capabilities: Capabilities;
  readonly snapshots: SnapshotStore;
  readonly checkpoints: Checkpoints;
  readonly archive: Archive;
  readonly copies: Copies;
  readonly #db: Database;
  readonly #lock: OpenedLock | null;
  readonly #log: LogOperations;
  readonly #coalescer: Coalescer;
  #closing: Promise<void> | null = null;

  private constructor(
    db: Database,
    { shape, lock }: { readonly shape: Shape; readonly lock: OpenedLock | null },
    gatheringWindowMs: number,
  ) {
    const write = writer(db, shape, lock);
    const log = logOperations(db, write);
    const soon = (run: () => void): void => void setTimeout(run, gatheringWindowMs);
    const coalescer = new Coalescer({ ...BATCH, maxBatchesInFlight: BATCHES[shape], send: log.send, soon });
    super(log, coalescer);
    this.capabilities = { ...capabilities, gatheringWindowMs };
    this.#db = db;
    this.#lock = lock;
    this.#log = log;
    this.#coalescer = coalescer;
    const open = coalescer.assertOpen;
    this.snapshots = checkedSnapshots(snapshotStore(db, shape), open);
    this.checkpoints = checkedCheckpoints({ loadCheckpoint: (runId) => loadCheckpoint(db, runId) }, open);
    this.copies = checkedCopies((copies) => writeCopies(write, copies), open);
    this.archive = checkedArchive({ archiveRun: (runId) => archiveRun(db, this, write, runId) }, open);
  }

  forTenant(tenantId: string): TenantStore {
    return new StoreLog(this.#log, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
  }

  close(): Promise<void> {
    this.#closing ??= this.#coalescer.close().then(async () => {
      await this.#db.close();
      await this.#lock?.close();
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function resolveTarget({
  url,
  password,
  privateKey,
  privateKeyPath,
  privateKeyPassphrase,
  token,
}: SnowflakeStoreOptions) {
  const given = { password, privateKey, privateKeyPath, privateKeyPassphrase, token };
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...(typeof url === "string" ? parseSnowflakeUrl(url) : url), ...said };
}

function logOperations(db: Database, write: Write): LogOperations {
  return {
    send: batchAppender(write),
    fetchEvents: (params) => fetchEvents(db, params),
    streamEvents: (params) => streamEvents(db, params),
    fetchByKeys: (params) => fetchByKeys(db, params),
    fetchHeads: (params) => fetchHeads(db, params),
    listHeads: (params) => listHeads(db, params),
    getSnapshot: (params) => getSnapshot(db, params),
  };
}

function snapshotStore(db: Database, shape: Shape): SnapshotStore {
  return {
    readProjection: async (params) => (await readProjections(db, [params]))[0]!,
    readProjections: (params) => readProjections(db, params),
    listStale: ({ afterRunId = "", limit = 1000 } = {}) => listStale(db, { afterRunId, limit }),
    listSteps: ({ runId, afterOrdinal = -1, limit = 1000 }) => listSteps(db, { runId, afterOrdinal, limit }),
    saveProjection: async (change) => (await saveProjections(db, shape, [change]))[0]!,
    saveProjections: (changes) => saveProjections(db, shape, changes),
    deleteProjection: (runId) => deleteProjection(db, runId),
  };
}
