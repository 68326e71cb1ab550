import type { Access } from "./access.js";
import type { Archive } from "./archive.js";
import type { Artifacts } from "./artifacts.js";
import type { Audit } from "./audit.js";
import type { Capabilities } from "./capabilities.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Checkpoints } from "./checkpoints.js";
import type { Copies } from "./copies.js";
import type { DerivedData } from "./derived-data.js";
import type { EventLog } from "./event-log.js";
import type { Keyframes } from "./keyframes.js";
import type { Leases } from "./leases.js";
import type { Limits } from "./limits.js";
import type { Plans } from "./plans.js";
import type { RunIndex } from "./run-index.js";
import type { RunQueue } from "./run-queue.js";
import type { IRunStateStore } from "./run-state-store.js";
import type { Schedules } from "./schedules.js";
import type { Settling } from "./settling.js";
import type { SnapshotStore } from "./snapshot-store.js";

/** What one tenant sees. Another tenant's run behaves as absent in every method. */
export interface TenantStore extends IRunStateStore, EventLog {
  readonly tenantId: string;
  readonly artifacts?: Artifacts;
}

/** All ports of a store. The optional ones are absent where the backend has no home for them. */
export interface StateStore extends IRunStateStore, EventLog, AsyncDisposable {
  readonly capabilities: Capabilities;
  readonly snapshots: SnapshotStore;
  readonly index?: RunIndex;
  readonly keyframes?: Keyframes;
  readonly derived?: DerivedData;
  readonly checkpoints?: Checkpoints;
  readonly feed?: ChangeFeed;
  readonly leases?: Leases;
  readonly archive?: Archive;
  readonly copies?: Copies;
  readonly queue?: RunQueue;
  readonly limits?: Limits;
  readonly artifacts?: Artifacts;
  readonly plans?: Plans;
  readonly schedules?: Schedules;
  /** Only where `capabilities.contiguous` is false. */
  readonly settling?: Settling;
  readonly access?: Access;
  readonly audit?: Audit;
  /** New runs belong to this tenant; runs of others are absent. Unscoped, new runs belong to `default`. */
  forTenant(tenantId: string): TenantStore;
  /** Waits for what was sent, refuses what comes after, gives every connection back. */
  close(): Promise<void>;
}

/** A store that has them all. */
export type FullStateStore = Required<Omit<StateStore, "settling">> & Pick<StateStore, "settling">;
