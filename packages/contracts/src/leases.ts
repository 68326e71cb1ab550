import type { PlanRef } from "./run-queue.js";
import type { KnownWorker } from "./workers.js";

/** Ownership of one run. Engine appends carry `epoch`; they are refused once another worker took over (P4). */
export interface Lease {
  readonly runId: string;
  readonly epoch: number;
  /** The worker that lost the run to this lease; null = the run was free. */
  readonly takenFrom: string | null;
  readonly headSeq: number;
}

/** Who may drive which run. All times are the store's (O1): workers' clocks never take part. */
export interface Leases {
  /** Keeps a worker, and with it all its leases, alive for `ttlMs` from the store's now, and says what it can run. */
  heartbeat(params: {
    readonly workerId: string;
    readonly ttlMs: number;
    /** Absent, either of them = as it said before. */
    readonly plans?: readonly PlanRef[];
    readonly logFormat?: number;
  }): Promise<{ readonly now: string; readonly expiresAt: string }>;

  /**
   * Takes those of the runs that are free or whose owner expired, each under a new epoch. Runs that others are
   * taking at the moment are left out, not waited for. The worker must be alive: heartbeat first.
   */
  acquireLeases(params: {
    readonly workerId: string;
    readonly runIds: readonly string[];
  }): Promise<{ readonly now: string; readonly leases: readonly Lease[] }>;

  /** Gives runs back. A lease that was lost meanwhile is left alone. */
  releaseLeases(params: {
    readonly workerId: string;
    readonly leases: readonly { readonly runId: string; readonly epoch: number }[];
  }): Promise<void>;

  /** Ends a worker at once: everything it owns is free. */
  retireWorker(workerId: string): Promise<void>;

  /** By id: who lives, and for a day whoever has stopped saying so without having retired. */
  listWorkers(): Promise<{ readonly now: string; readonly workers: readonly KnownWorker[] }>;
}
