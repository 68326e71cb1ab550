import type { PlanRef } from "./run-queue.js";
import type { KnownWorker } from "./workers.js";

/**
 * Ownership of one run. Engine appends carry `epoch`; the store refuses them after another worker has taken over (P4).
 */
export interface Lease {
  readonly runId: string;
  readonly epoch: number;
  /** The worker that lost the run to this lease. `null` if the run was free. */
  readonly takenFrom: string | null;
  readonly headSeq: number;
}

/** Decides which worker may drive which run. All times come from the store's clock (O1), never from a worker's. */
export interface Leases {
  /** Keeps a worker and all its leases alive for `ttlMs` from the store's current time, and reports what it can run. */
  heartbeat(params: {
    readonly workerId: string;
    readonly ttlMs: number;
    /** If `plans`, `logFormat` or `tenants` is absent, the value of the last heartbeat stays in effect. */
    readonly plans?: readonly PlanRef[];
    readonly logFormat?: number;
    /** The tenants whose runs the worker claims. A worker that has never reported any claims those of all tenants. */
    readonly tenants?: readonly string[];
  }): Promise<{ readonly now: string; readonly expiresAt: string }>;

  /**
   * Acquires the runs that are free or whose owner expired, each under a new epoch. Skips runs that another worker is
   * acquiring at the same time. The worker must be alive: send a heartbeat first.
   */
  acquireLeases(params: {
    readonly workerId: string;
    readonly runIds: readonly string[];
  }): Promise<{ readonly now: string; readonly leases: readonly Lease[] }>;

  /** Releases runs. Leases that were lost in the meantime are skipped. */
  releaseLeases(params: {
    readonly workerId: string;
    readonly leases: readonly { readonly runId: string; readonly epoch: number }[];
  }): Promise<void>;

  /** Removes a worker immediately and releases everything it owns. */
  retireWorker(workerId: string): Promise<void>;

  /** Lists workers by id: live ones, and for a day those that were lost without retiring. */
  listWorkers(): Promise<{ readonly now: string; readonly workers: readonly KnownWorker[] }>;
}
