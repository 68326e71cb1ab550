import type { Checkpoint } from "./checkpoints.js";
import type { NewEvent } from "./event.js";
import type { Lease } from "./leases.js";

/** Stateless and idempotent: safe to run anywhere, any number of times (execution-semantics 3). */
export interface IRunQueueReconciler {
  dequeueAndStart(): Promise<{ runId: string; status: "STARTED" | "FAILED" | "SKIPPED" }[]>;
}

/** A run to be started: its key, its head, its first event and its place in the queue commit together (Q1). */
export interface RunStart {
  /** `RunQueued`. */
  readonly event: NewEvent;
  readonly tenantId: string;
  /** Unique: the same request starts one run. */
  readonly startKey: string;
  /** What the same request must say again; another input under the same key is refused by the caller. */
  readonly inputHash: string;
  readonly logFormat: number;
  readonly priority: number;
}

export interface PlanRef {
  readonly planId: string;
  readonly planVersion: string;
}

/** Who drives which run, and when. All times are the store's. */
export interface RunQueue {
  /** The run of this request: a new one, or the one that the key already has. */
  startRun(start: RunStart): Promise<{ readonly runId: string; readonly created: boolean; readonly inputHash: string }>;

  /**
   * Takes runs that are due or whose owner is gone, of plans and log formats that the worker knows (D7, F5), each under
   * a new epoch. What others are taking at the moment is left out.
   */
  claimRuns(params: {
    readonly workerId: string;
    readonly plans: readonly PlanRef[];
    readonly logFormat: number;
    readonly limit: number;
  }): Promise<{ readonly now: string; readonly leases: readonly Lease[] }>;

  /** Those of the worker's runs that somebody woke since it last asked. */
  wokenRuns(workerId: string): Promise<{ readonly now: string; readonly runIds: readonly string[] }>;

  /**
   * Gives a run back until `wakeAt` (null = until somebody wakes it), if its head is still the one that was folded:
   * throws SEQ_MISMATCH where a signal came in between, STALE_LEASE where another worker did (O2).
   */
  parkRun(params: {
    readonly workerId: string;
    readonly runId: string;
    readonly epoch: number;
    readonly expectedSeq: number;
    readonly wakeAt: string | null;
    readonly checkpoint: Checkpoint | null;
  }): Promise<void>;
}
