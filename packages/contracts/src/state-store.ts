import type { Access } from "./access.js";
import type { AlertStore } from "./alerts.js";
import type { Archive } from "./archive.js";
import type { ArtifactExpiry } from "./artifact-expiry.js";
import type { Artifacts } from "./artifacts.js";
import type { Audit } from "./audit.js";
import type { Capabilities } from "./capabilities.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Checkpoints } from "./checkpoints.js";
import type { Copies } from "./copies.js";
import type { DatasetIndex } from "./dataset-index.js";
import type { DerivedData } from "./derived-data.js";
import type { Erasure } from "./erasure.js";
import type { EventLog } from "./event-log.js";
import type { Keyframes } from "./keyframes.js";
import type { Leases } from "./leases.js";
import type { Limits } from "./limits.js";
import type { OutboxStore } from "./outbox.js";
import type { Plans } from "./plans.js";
import type { RetentionStore } from "./retention.js";
import type { RunIndex } from "./run-index.js";
import type { RunQueue } from "./run-queue.js";
import type { IRunStateStore } from "./run-state-store.js";
import type { Schedules } from "./schedules.js";
import type { Settling } from "./settling.js";
import type { SnapshotStore } from "./snapshot-store.js";
import type { TriggerStore } from "./triggers.js";

/** The view of one tenant. In every method, a run of another tenant behaves as if it did not exist. */
export interface TenantStore extends IRunStateStore, EventLog {
  readonly tenantId: string;
  readonly artifacts?: Artifacts;
}

/** All ports of a store. A backend that cannot implement an optional port omits it. */
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
  readonly outbox?: OutboxStore;
  readonly retention?: RetentionStore;
  readonly expiry?: ArtifactExpiry;
  readonly triggers?: TriggerStore;
  readonly erasure?: Erasure;
  readonly alerts?: AlertStore;
  readonly datasets?: DatasetIndex;
  /** Present only if `capabilities.contiguous` is `false`. */
  readonly settling?: Settling;
  readonly access?: Access;
  readonly audit?: Audit;
  /** The same store for readers who may not see payloads. Present only if payloads are encrypted. */
  readonly concealed?: StateStore;
  /**
   * Returns a view in which new runs belong to this tenant and runs of other tenants do not exist. Without it, new runs
   * belong to `default`.
   */
  forTenant(tenantId: string): TenantStore;
  /**
   * Returns the age of the oldest snapshot that another session holds, `null` if there is none. Present only on stores
   * whose claims get slower meanwhile (Q3).
   */
  oldestSnapshotMs?(): Promise<number | null>;
  /** Waits for calls that were sent, refuses later ones and releases every connection. */
  close(): Promise<void>;
}

/** A store that implements every port that a ledger needs. */
export type FullStateStore = Required<
  Omit<StateStore, "alerts" | "datasets" | "expiry" | "settling" | "oldestSnapshotMs" | "concealed">
> &
  Pick<StateStore, "alerts" | "datasets" | "expiry" | "settling" | "oldestSnapshotMs"> & {
    readonly concealed?: FullStateStore;
  };
