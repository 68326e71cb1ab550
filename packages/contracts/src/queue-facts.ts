import type { Counted, Limit, LimitTarget } from "./limits.js";
import type { PlanRef } from "./run-queue.js";

/** A run that has not ended, as the queue has it. */
export interface QueueEntry extends PlanRef, Counted {
  readonly runId: string;
  readonly logFormat: number;
  readonly priority: number;
  readonly queuedAt: string;
  /** When it first got a slot; null = it is queued. */
  readonly startedAt: string | null;
  /** When it is due; null = when somebody wakes it. Of no meaning while it is owned. */
  readonly dueAt: string | null;
  /** Null = nobody has it. */
  readonly owner: string | null;
  /** It is counted as running. */
  readonly slot: boolean;
  /** An operator's action waits for its answer. */
  readonly acts: boolean;
}

/** Of one tenant. */
export interface QueueCount {
  readonly tenantId: string;
  /** Not begun yet. */
  readonly queued: number;
  readonly running: number;
  /** Begun, and without a slot. */
  readonly waiting: number;
}

/** What the queue has to say about why a run does not run. */
export interface QueueFacts {
  /** The store's time. */
  readonly now: string;
  readonly entry: QueueEntry;
  /** Runs that get their turn before it, up to `MOST_AHEAD`; 0 = none does, or it does not wait for its turn. */
  readonly ahead: number;
  /** Runs that begin per second, as of late; null = none did. */
  readonly startsPerSecond: number | null;
  /** Every limit that it is counted in, the widest first. */
  readonly limits: readonly LimitUse[];
}

/** Beyond it nobody counts. */
export const MOST_AHEAD = 10_000;

/** A limit, and how much of it is taken. */
export interface LimitUse {
  /** What is counted: never `*`. */
  readonly target: LimitTarget;
  readonly limit: Limit;
  /** Of a concurrency key: runs that have it. */
  readonly running: number;
  /** Some of those, by id. */
  readonly holders: readonly string[];
  /** When its rate lets another one begin; null = at once, or it has none. */
  readonly rateFreeAt: string | null;
  /** Runs of it that begin per second, as of late; null = none did. */
  readonly startsPerSecond: number | null;
}
