/**
 * Runledger on files: an example of a third-party adapter. One folder per store, one process at a time, everything in
 * one journal, its tables in memory. It has no change feed, no leases and no archive, so it does not implement these ports.
 */
import {
  MAX_EVENT_BYTES,
  type Capabilities,
  type Checkpoints,
  type SnapshotStore,
  type StateStore,
  type TenantStore,
} from "@runledger/contracts";
import { checkedCheckpoints, checkedSnapshots, Coalescer, StoreLog, type LogOperations } from "@runledger/core/store";
import { Folder } from "./folder.js";
import { logOperations } from "./log-operations.js";
import { snapshotStore } from "./snapshots.js";

const capabilities: Capabilities = {
  contiguous: true,
  durable: true,
  maxEventsPerRunAndCall: null,
  checkpointInAppend: true,
  gatheringWindowMs: 0,
  maxPayloadBytes: MAX_EVENT_BYTES,
  typicalAppendMs: 1,
  lagMs: 0,
};

/** One batch at a time: calls gather while the disk writes the previous batch. */
const BATCH = { maxEvents: 1000, maxBytes: 4 * 1024 * 1024, maxBatchesInFlight: 1 };

export class FileStore extends StoreLog implements StateStore {
  static async open({ folder }: { readonly folder: string }): Promise<FileStore> {
    return new FileStore(await Folder.open(folder));
  }

  readonly capabilities = capabilities;
  readonly snapshots: SnapshotStore;
  readonly checkpoints: Checkpoints;
  readonly #folder: Folder;
  readonly #operations: LogOperations;
  readonly #coalescer: Coalescer;

  private constructor(folder: Folder) {
    const operations = logOperations(folder);
    const coalescer = new Coalescer({ ...BATCH, send: operations.send, soon: setImmediate });
    super(operations, coalescer);
    this.#folder = folder;
    this.#operations = operations;
    this.#coalescer = coalescer;
    this.snapshots = checkedSnapshots(snapshotStore(folder), coalescer.assertOpen);
    this.checkpoints = checkedCheckpoints(checkpointsOf(folder), coalescer.assertOpen);
  }

  forTenant(tenantId: string): TenantStore {
    return new StoreLog(this.#operations, this.#coalescer, tenantId) as StoreLog & { readonly tenantId: string };
  }

  async close(): Promise<void> {
    await this.#coalescer.close();
    await this.#folder.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function checkpointsOf(folder: Folder): Checkpoints {
  return { loadCheckpoint: async (runId) => folder.tables.checkpoints.get(runId) ?? null };
}
