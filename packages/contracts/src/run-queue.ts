import type { Checkpoint } from "./checkpoints.js";
import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { Lease } from "./leases.js";
import type { QueueCount, QueueEntry, QueueFacts } from "./queue-facts.js";
import type { ScheduledStart } from "./schedules.js";

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
  /** Unique as well, across versions; absent = another version may start a run of the same request. */
  readonly dedupeKey?: string;
  /** What the same request must say again; another input under the same key is refused by the caller. */
  readonly inputHash: string;
  readonly logFormat: number;
  readonly priority: number;
  /** Absent = `default`. */
  readonly projectId?: string;
  readonly concurrencyKey?: string;
  /** Not before this time; absent = at once. */
  readonly startAt?: string;
  /**
   * Of a child: refused with STALE_LEASE unless its parent is still owned under this epoch, so that none is orphaned.
   * It belongs to a run that was let in: no queue is too full for it.
   */
  readonly parent?: { readonly runId: string; readonly epoch: number };
  /** Of a fork: what it keeps, on record right behind the first event. */
  readonly kept?: readonly NewEvent[];
  /** Of a scheduled run: one per schedule and time, whatever the version; another start finds the first one's run (Q1). */
  readonly tick?: ScheduledStart;
}

export interface PlanRef {
  readonly planId: string;
  readonly planVersion: string;
}

/** A run in a worker's hands. */
export interface HeldRun extends Lease, PlanRef {
  /** How often somebody has woken it. `parkRun` compares, so that no wake-up is lost. */
  readonly wakes: number;
  /** False = claimed outside the limits to answer an operator (Q2): nothing that takes a slot may be begun. */
  readonly slot: boolean;
  /** Of a run whose log holds nothing else, so that nobody needs to read it; a store may leave it out, as where it is large. */
  readonly firstEvent?: CanonicalEngineEvent;
}

/** What decides who may claim a run, when, and under which limits. */
export interface QueuePlace extends PlanRef {
  readonly logFormat: number;
  /** Orders the runs of its tenant, the highest first; between tenants turns are taken. */
  readonly priority: number;
  /** Absent = `default`. */
  readonly projectId?: string;
  /** Of the runs of a tenant that share a key one runs at a time, or as many as its limit says. Absent = none. */
  readonly concurrencyKey?: string;
}

/** Who drives which run, and when. All times are the store's. */
export interface RunQueue {
  /**
   * The run of this request: a new one, or the one that a key already has. Throws QUEUE_FULL where as many wait as a
   * limit lets wait. `limited`: some limit may make it wait.
   */
  startRun(start: RunStart): Promise<{
    readonly runId: string;
    readonly created: boolean;
    readonly inputHash: string;
    readonly limited: boolean;
  }>;

  /**
   * Takes runs of plans and log formats that the worker knows (D7, F5), each under a new epoch:
   *  - with an operator's action that nobody has answered: outside all limits, and beside `limit` (Q2);
   *  - whose owner is gone: they still have their slot;
   *  - that have begun and are due again, then those that are queued, the tenants in turn: within all limits.
   * What others are writing to at the moment is left out.
   * `limited` false = there are neither limits nor concurrency keys, so that the end of a run lets no other one begin.
   */
  claimRuns(params: {
    readonly workerId: string;
    readonly plans: readonly PlanRef[];
    readonly logFormat: number;
    /** 0 = only what waits for an answer. */
    readonly limit: number;
  }): Promise<{ readonly now: string; readonly runs: readonly HeldRun[]; readonly limited?: boolean }>;

  /**
   * Everything the worker owns. Changes nothing: an answer that is lost loses no wake-up, and a run whose claim was
   * not answered is found here. `takenFrom` is null.
   */
  heldRuns(workerId: string): Promise<{ readonly now: string; readonly runs: readonly HeldRun[] }>;

  /**
   * Gives a run and its slot back until `wakeAt` (null = until somebody wakes it), if its head is still the one that was folded:
   * throws SEQ_MISMATCH where a signal came in between, STALE_LEASE where another worker did (O2). Somebody who woke it
   * without writing to it, as a child does that ends, shows in `wakes`: then it is due at once. A run that never had a
   * slot stays queued where it was.
   */
  parkRun(params: ParkParams): Promise<void>;

  /** How a run stands in the queue; null = it is not in it. */
  inspectRun(runId: string): Promise<QueueFacts | null>;

  /** Runs that have not ended, by id. */
  listQueue(params: QueuePage): Promise<readonly QueueEntry[]>;

  /** Tenants with runs that have not ended, by id. */
  countQueue(): Promise<readonly QueueCount[]>;
}

export interface QueuePage {
  /** Absent = of all tenants. */
  readonly tenantId?: string;
  readonly afterRunId?: string;
  /** Default 1000. */
  readonly limit?: number;
}

export interface ParkParams {
  readonly workerId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly expectedSeq: number;
  /** The wake-ups that the caller has seen. */
  readonly wakes: number;
  readonly wakeAt: string | null;
  readonly checkpoint: Checkpoint | null;
  /** True = the caller did not look at the run: if an operator's action waits for an answer, it goes on waiting. */
  readonly unanswered?: boolean;
}
