import type { ArtifactRef } from "./artifact.js";
import type { ErasedBy } from "./erasure.js";
import type { CanonicalEngineEvent } from "./event.js";
import type { ForkOrigin, Opened, RunError } from "./event-data.js";
import type { Json } from "./json.js";

export type RunStatus = "PENDING" | "APPROVED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";
export type StepStatus = "PENDING" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";

/** The fields of a step in every status. */
export interface StepFields {
  readonly stepId: string;
  readonly logicalAttemptId: string;
  readonly engineAttemptId?: string;
  readonly startedAt?: string;
  readonly artifacts: readonly ArtifactRef[];
  /** Number of times a new worker took over this logical attempt (D5). */
  readonly takeOvers?: number;
  /** The recorded result of its closure (D1). */
  readonly opened?: Opened;
  /** The first attempt after an operator's reset. The retry budget counts from it (K4). */
  readonly budgetFrom?: number;
}

/** The fields that a step has only in some statuses. */
export interface StepResultFields {
  readonly completedAt: string;
  /** The seq at which its attempt finished. Steps are compensated in reverse order of it (D8). */
  readonly endedSeq: number;
  readonly error: RunError;
  /** The time of the next attempt under the retry policy. */
  readonly retryAt: string;
  /** The reason why the step was skipped. */
  readonly reason: string;
  /** The step whose failure prevented this one from running, or made this container fail. */
  readonly culprit: string;
  /** Set while the step waits: `signal <name>` or `timer`. */
  readonly waitsFor: string;
  /** For one pass of a `repeat`: `true` if another pass follows. */
  readonly again: boolean;
  /** For a forked run: the seq at which the step finished in the origin. The fork did not run it. */
  readonly kept: number;
}

/** Allows the fields `Allowed` of `Fields`, all optional, and forbids the others. */
export type OnlyFields<Fields, Allowed extends keyof Fields> = Partial<Pick<Fields, Allowed>> & {
  readonly [K in Exclude<keyof Fields, Allowed>]?: never;
};

export interface PendingStep extends StepFields, OnlyFields<StepResultFields, never> {
  readonly status: "PENDING";
}

export interface RunningStep extends StepFields, OnlyFields<StepResultFields, "waitsFor"> {
  readonly status: "RUNNING";
}

/** `completedAt` and `endedSeq` are absent in a checkpoint, where plain completed steps are stored as ranges (C1). */
export interface SucceededStep
  extends StepFields, OnlyFields<StepResultFields, "completedAt" | "endedSeq" | "again" | "kept"> {
  readonly status: "SUCCESS";
}

export interface FailedStep
  extends StepFields, OnlyFields<StepResultFields, "completedAt" | "endedSeq" | "error" | "retryAt" | "culprit"> {
  readonly status: "FAILED";
  readonly completedAt: string;
  readonly error: RunError;
}

export interface SkippedStep
  extends StepFields, OnlyFields<StepResultFields, "completedAt" | "endedSeq" | "reason" | "culprit"> {
  readonly status: "SKIPPED";
  readonly completedAt: string;
}

/** A step as known at one seq. Never updated in place. Its status determines which fields it has. */
export type StepSnapshot = PendingStep | RunningStep | SucceededStep | FailedStep | SkippedStep;

/** The fields of a run in every status. */
export interface RunFields {
  readonly runId: string;
  /** The highest seq that was applied. */
  readonly lastEventSeq: number;
  /** `true` if the log is known to hold more events than this shows (F6). */
  readonly stale?: boolean;
  readonly artifacts: readonly ArtifactRef[];
  /** The time when the first event was emitted. */
  readonly createdAt?: string;
  readonly startedAt?: string;
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
  /** The caller who started the run, `schedule …` or `run …`. Absent if unknown. */
  readonly startedBy?: string;
  readonly deadlineAt?: string;
  readonly engineRunRef?: Json;
  /** The user's state after every patch so far (D2). */
  readonly state?: Json;
  readonly leaseEpoch?: number;
  /** Set if the payloads of the run were erased (A6). */
  readonly erased?: ErasedBy;
  /** Number of steps whose current attempt failed. */
  readonly failedSteps: number;
  /** Number of steps that events have named. */
  readonly stepCount: number;
  /** Number of waiting steps by what they wait for. Absent if no step waits. */
  readonly waits?: Readonly<Record<string, number>>;
  /**
   * Accepted signals that no wait has consumed yet, oldest first. Their payloads are in the log (G1). A finished run
   * never consumes them.
   */
  readonly signals?: readonly PendingSignal[];
  /** Times of the last sixty signals, oldest first, by the store's clock. Rejected signals count, too (P9). */
  readonly recentSignals?: readonly string[];
  /** Times of the last sixty actions of operators, as for signals. Actions have their own limit (P9). */
  readonly recentActions?: readonly string[];
  /** Accepted actions that the engine has not answered yet, oldest first. */
  readonly actions?: readonly PendingAction[];
  /** Number of run-level events of each type. The next event of a type is numbered by it (K2). */
  readonly ordinals: Readonly<Record<string, number>>;
}

/** The fields that only a finished run has. */
export interface RunResultFields {
  readonly completedAt: string;
  /** Absent if the run finished without having started. */
  readonly totalDurationMs: number;
  readonly error: RunError;
  /** The step that made the run fail. */
  readonly culprit: string;
  /** Absent if it has more than 4 MB. `outputArtifact` has it then. */
  readonly output: Json;
  /** The artifact that holds the output, because an event cannot (P9). */
  readonly outputArtifact: ArtifactRef;
}

export interface UnfinishedRun extends RunFields, OnlyFields<RunResultFields, never> {
  readonly status: "PENDING" | "APPROVED" | "RUNNING" | "PAUSED";
}

export interface CompletedRun
  extends RunFields, OnlyFields<RunResultFields, "completedAt" | "totalDurationMs" | "output" | "outputArtifact"> {
  readonly status: "COMPLETED";
  readonly completedAt: string;
}

export interface FailedRun
  extends RunFields, OnlyFields<RunResultFields, "completedAt" | "totalDurationMs" | "error" | "culprit"> {
  readonly status: "FAILED";
  readonly completedAt: string;
  readonly error: RunError;
}

export interface CancelledRun extends RunFields, OnlyFields<RunResultFields, "completedAt" | "totalDurationMs"> {
  readonly status: "CANCELLED";
  readonly completedAt: string;
}

/** A run without its steps. Its size does not grow with their number (F7). Its status determines which fields it has. */
export type RunHeader = UnfinishedRun | CompletedRun | FailedRun | CancelledRun;

/** A run as known at one seq. Never updated in place. */
export type RunSnapshot = RunHeader & { readonly steps: readonly StepSnapshot[] };

export interface PendingSignal {
  readonly signalId: string;
  readonly name: string;
}

export interface PendingAction extends PendingSignal {
  readonly stepId?: string;
}

/** Folds a log into snapshots. */
export interface SnapshotProjector {
  /** Returns the snapshot of a run from its complete log. Stops before a gap and sets `stale`. */
  projectRun(runId: string, events: readonly CanonicalEngineEvent[]): Promise<RunSnapshot>;
  /** Returns the snapshot after further events, equal to what `projectRun` returns for the complete log. */
  incrementalProject(snapshot: RunSnapshot, newEvents: readonly CanonicalEngineEvent[]): Promise<RunSnapshot>;
  detectGaps(lastSeq: number, nextSeq: number): Promise<{ hasGap: boolean }>;
}
