import type { Checkpoint } from "./checkpoints.js";
import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { Lease } from "./leases.js";
import type { QueueCount, QueueEntry, QueueFacts } from "./queue-facts.js";
import type { ScheduledStart } from "./schedules.js";

/** Stateless and idempotent: safe to run anywhere, any number of times. */
export interface IRunQueueReconciler {
  dequeueAndStart(): Promise<{ runId: string; status: "STARTED" | "FAILED" | "SKIPPED" }[]>;
}

/** A run to start. Its key, its head, its first event and its place in the queue commit together (Q1). */
export interface RunStart {
  /** The `RunQueued` event. */
  readonly event: NewEvent;
  readonly tenantId: string;
  /** Unique: the same request starts only one run. */
  readonly startKey: string;
  /** Unique across versions. Absent if another version may start a run for the same request. */
  readonly dedupeKey?: string;
  /** Hash of the input. The caller refuses a request with the same key and another input. */
  readonly inputHash: string;
  readonly logFormat: number;
  readonly priority: number;
  /** Defaults to `default`. */
  readonly projectId?: string;
  readonly concurrencyKey?: string;
  /** The run does not start before this time. Absent if it may start immediately. */
  readonly startAt?: string;
  /**
   * For a child run: refused with STALE_LEASE unless the parent is still owned under this epoch, so that no child is
   * orphaned. Queue limits do not apply, because the parent was already admitted.
   */
  readonly parent?: { readonly runId: string; readonly epoch: number };
  /** For a fork: the events it keeps, recorded directly after the first event. */
  readonly kept?: readonly NewEvent[];
  /** Addresses of artifacts that `kept` refers to. The start is refused with ARTIFACT_EXPIRED if one has expired (A8). */
  readonly refersTo?: readonly string[];
  /**
   * For a scheduled run: one run per schedule and time, regardless of the version. Another start returns the first
   * one's run (Q1).
   */
  readonly tick?: ScheduledStart;
}

export interface PlanRef {
  readonly planId: string;
  readonly planVersion: string;
}

/** A run that a worker owns. */
export interface HeldRun extends Lease, PlanRef {
  /** Number of times the run was woken. `parkRun` compares it, so that no wake-up is lost. */
  readonly wakes: number;
  /**
   * `false` if the run was claimed regardless of limits to answer an operator (Q2). The worker must not start anything
   * that needs a slot.
   */
  readonly slot: boolean;
  /**
   * Set for a run whose log holds only this event, so that the worker need not read the log. A store may omit it, for
   * example if it is large.
   */
  readonly firstEvent?: CanonicalEngineEvent;
}

/** Determines which worker may claim a run, when, and under which limits. */
export interface QueuePlace extends PlanRef {
  readonly logFormat: number;
  /** Orders the runs of a tenant, the highest first. Tenants themselves take turns. */
  readonly priority: number;
  /** Defaults to `default`. */
  readonly projectId?: string;
  /** Runs of a tenant with the same key run one at a time, or as many as the key's limit allows. */
  readonly concurrencyKey?: string;
}

/** Assigns runs to workers. All times come from the store's clock. */
export interface RunQueue {
  /**
   * Starts a run, or returns the run that one of the request's keys already has. Throws QUEUE_FULL if a queue limit is
   * reached. `limited` is `true` if some limit may delay the run.
   */
  startRun(start: RunStart): Promise<{
    readonly runId: string;
    readonly created: boolean;
    readonly inputHash: string;
    readonly limited: boolean;
  }>;

  /**
   * Claims runs whose plan and log format the worker knows (D7, F5), each under a new epoch:
   *  - runs with an unanswered operator's action, regardless of limits and not counted toward `limit` (Q2);
   *  - runs whose owner is gone, which still hold their slot;
   *  - started runs that are due again, then queued runs, tenants taking turns, within all limits.
   * Skips runs that another transaction is writing to. `limited` is `false` if there are neither limits nor concurrency
   * keys, so that the end of a run cannot allow another run to start.
   */
  claimRuns(params: {
    readonly workerId: string;
    readonly plans: readonly PlanRef[];
    readonly logFormat: number;
    /** 0 claims only runs that wait for an answer. */
    readonly limit: number;
    /** Claims only runs of these tenants. Absent for all tenants. */
    readonly tenants?: readonly string[];
  }): Promise<{ readonly now: string; readonly runs: readonly HeldRun[]; readonly limited?: boolean }>;

  /**
   * Returns everything the worker owns and changes nothing. A lost response therefore loses no wake-up, and a worker
   * finds here a run whose claim response was lost. `takenFrom` is `null`.
   */
  heldRuns(workerId: string): Promise<{ readonly now: string; readonly runs: readonly HeldRun[] }>;

  /**
   * Releases a run and its slot until `wakeAt` (`null`: until it is woken), if its head is still the one that was
   * folded. Throws SEQ_MISMATCH if a signal arrived in between, STALE_LEASE if another worker took over (O2). A wake-up
   * without an event, as by a finished child, changes `wakes`; the run is then due immediately. A run that never had a
   * slot keeps its place among the queued ones.
   */
  parkRun(params: ParkParams): Promise<void>;

  /** Returns a run's place in the queue, or `null` if it is not queued. */
  inspectRun(runId: string): Promise<QueueFacts | null>;

  /** Lists unfinished runs by id. */
  listQueue(params: QueuePage): Promise<readonly QueueEntry[]>;

  /** Counts unfinished runs per tenant, by tenant id. */
  countQueue(): Promise<readonly QueueCount[]>;
}

export interface QueuePage {
  /** Absent for all tenants. */
  readonly tenantId?: string;
  readonly afterRunId?: string;
  /** Defaults to 1000. */
  readonly limit?: number;
}

export interface ParkParams {
  readonly workerId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly expectedSeq: number;
  /** The number of wake-ups that the caller has seen. */
  readonly wakes: number;
  readonly wakeAt: string | null;
  readonly checkpoint: Checkpoint | null;
  /** `true` if the caller did not look at the run: a waiting operator's action keeps waiting. */
  readonly unanswered?: boolean;
}
