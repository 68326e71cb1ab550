import type { Counted, Limit, LimitTarget } from "./limits.js";
import type { PlanRef } from "./run-queue.js";

/** An unfinished run, as the queue stores it. */
export interface QueueEntry extends PlanRef, Counted {
  readonly runId: string;
  readonly logFormat: number;
  readonly priority: number;
  readonly queuedAt: string;
  /** The time when it first got a slot. `null` if it is queued. */
  readonly startedAt: string | null;
  /** The time when it is due. `null` if it waits until it is woken. Meaningless while the run is owned. */
  readonly dueAt: string | null;
  /** `null` if no worker owns it. */
  readonly owner: string | null;
  /** `true` if it counts as running. */
  readonly slot: boolean;
  /** `true` if an operator's action waits for its answer. */
  readonly acts: boolean;
}

/** Counts of one tenant. */
export interface QueueCount {
  readonly tenantId: string;
  /** Runs that have not started. */
  readonly queued: number;
  readonly running: number;
  /** Runs that have started and hold no slot. */
  readonly waiting: number;
}

/** The facts in the queue that explain why a run does not run. */
export interface QueueFacts {
  /** The store's time. */
  readonly now: string;
  readonly entry: QueueEntry;
  /**
   * Number of runs that are served first, up to `MOST_AHEAD`. 0 if there are none or the run does not wait for its
   * turn.
   */
  readonly ahead: number;
  /** Number of these runs that belong to the run's own tenant. */
  readonly aheadOfOwn: number;
  /** Recent start rate of all runs. `null` if none has started recently. */
  readonly startsPerSecond: number | null;
  /** Every limit that counts the run, the widest scope first. */
  readonly limits: readonly LimitUse[];
}

/** Runs ahead are counted up to this number. */
export const MOST_AHEAD = 10_000;

/** A limit and its current use. */
export interface LimitUse {
  /** The counted subject, never `*`. */
  readonly target: LimitTarget;
  readonly limit: Limit;
  /** Number of running runs. For a concurrency key: number of runs that hold the key. */
  readonly running: number;
  /** Ids of some of these runs. */
  readonly holders: readonly string[];
  /** The time when the rate allows another start. `null` if that is now or the limit has no rate. */
  readonly rateFreeAt: string | null;
  /** Recent start rate of the target. `null` if none of its runs has started recently. */
  readonly startsPerSecond: number | null;
}
