import type { ArtifactRef } from "./artifact.js";
import type { CanonicalEngineEvent } from "./event.js";
import type { ForkOrigin, Opened, RunError } from "./event-data.js";
import type { Json } from "./json.js";

export type RunStatus = "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
export type StepStatus = "PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";

/** A step as it is known at one seq (execution-semantics 1.4). Never updated in place. */
export interface StepSnapshot {
  readonly stepId: string;
  readonly status: StepStatus;
  readonly logicalAttemptId: string;
  readonly engineAttemptId?: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly artifacts: readonly ArtifactRef[];
  readonly error?: RunError;
  /** When the retry policy tries again. */
  readonly retryAt?: string;
  /** Why it was skipped, and because of whom. */
  readonly reason?: string;
  readonly culprit?: string;
  /** How often a new worker took over this logical attempt (D5). */
  readonly takeOvers?: number;
  /** What its closure returned (D1). */
  readonly opened?: Opened;
  /** While it is open: `signal <name>` or `timer`. */
  readonly waitsFor?: string;
  /** Of one pass through a `repeat`: whether there is another. */
  readonly again?: boolean;
  /** The seq, in the run that this one was forked from, at which it ended: here it was not run. */
  readonly kept?: number;
  /** The seq at which its attempt ended: the order in which steps are undone (D8). */
  readonly endedSeq?: number;
  /** The first attempt after an operator's reset: the retry budget counts from here (K4). */
  readonly budgetFrom?: number;
}

/** A run as it is known at one seq (execution-semantics 1.4). Never updated in place. */
export interface RunSnapshot extends RunHeader {
  readonly steps: readonly StepSnapshot[];
}

/** Everything of a run but its steps; its size does not grow with their number (F7). */
export interface RunHeader {
  readonly runId: string;
  readonly status: RunStatus;
  /** The highest seq that was applied. */
  readonly lastEventSeq: number;
  /** True = the log is known to hold more than this shows (F6). */
  readonly stale?: boolean;
  readonly artifacts: readonly ArtifactRef[];
  /** When its first event was emitted. */
  readonly createdAt?: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly totalDurationMs?: number;
  readonly planId?: string;
  readonly planVersion?: string;
  readonly logFormat?: number;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly runRequestId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly parent?: { readonly runId: string; readonly stepId: string };
  readonly schedule?: { readonly scheduleId: string; readonly tick: string };
  readonly fork?: ForkOrigin;
  /** Who started it: a caller, `schedule …` or `run …`. Absent = nobody has said. */
  readonly startedBy?: string;
  readonly deadlineAt?: string;
  readonly engineRunRef?: Json;
  readonly error?: RunError;
  readonly culprit?: string;
  readonly output?: Json;
  /** The user's state after every patch so far (D2). */
  readonly state?: Json;
  readonly leaseEpoch?: number;
  /** Steps whose current attempt failed. */
  readonly failedSteps: number;
  /** Steps that any event has named. */
  readonly stepCount: number;
  /** What steps wait for, and how many of them; absent = none waits. */
  readonly waits?: Readonly<Record<string, number>>;
  /** Accepted signals that no wait has taken yet, oldest first; their payload is in the log (G1). */
  readonly signals?: readonly PendingSignal[];
  /** When the last sixty signals came, oldest first: what their limit is counted by (P9). */
  readonly recentSignals?: readonly string[];
  /** Accepted actions that the engine has not answered yet, oldest first. */
  readonly actions?: readonly PendingAction[];
  /** How many run-level events of each type the run has: what K2 numbers the next one by. */
  readonly ordinals: Readonly<Record<string, number>>;
}

export interface PendingSignal {
  readonly signalId: string;
  readonly name: string;
}

export interface PendingAction extends PendingSignal {
  readonly stepId?: string;
}

/** Folds a log into snapshots (execution-semantics 1.5). */
export interface SnapshotProjector {
  /** The snapshot of a run whose whole log is given. Stops in front of a gap and says so with `stale`. */
  projectRun(runId: string, events: readonly CanonicalEngineEvent[]): Promise<RunSnapshot>;
  /** The snapshot after some more events. Gives what `projectRun` gives for all of them. */
  incrementalProject(snapshot: RunSnapshot, newEvents: readonly CanonicalEngineEvent[]): Promise<RunSnapshot>;
  detectGaps(lastSeq: number, nextSeq: number): Promise<{ hasGap: boolean }>;
}
