import type { ArtifactRef } from "./artifact.js";
import type { DatasetUses } from "./datasets.js";
import type { Json, JsonObject } from "./json.js";

/** The log format that this version writes. A worker never claims a run with a higher one (F5). */
export const LOG_FORMAT = 1;

/** The first event of every run that the ledger starts. The log alone is enough to rebuild the run (N4). */
export interface RunQueuedData {
  readonly plan: { readonly planId: string; readonly planVersion: string; readonly hash?: string };
  readonly logFormat: number;
  readonly input?: Json;
  /** The user's state before the first patch (D2). */
  readonly state?: Json;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly runRequestId?: string;
  readonly priority?: number;
  readonly concurrencyKey?: string;
  /** ISO 8601. The run does not start before this time. */
  readonly startAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly parent?: { readonly runId: string; readonly stepId: string };
  readonly schedule?: { readonly scheduleId: string; readonly tick: string };
  /** The trigger and the event that started the run. */
  readonly trigger?: { readonly triggerId: string; readonly eventId: string };
  readonly fork?: ForkOrigin;
  /** The trace that the run belongs to. Absent if its caller had none. */
  readonly trace?: TraceContext;
  /** The caller who started the run. The same request from another caller returns the same run. */
  readonly by?: string;
}

/** A position in a distributed trace, in the format of W3C Trace Context. */
export interface TraceContext {
  /** Such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The origin of a fork: the run, its seq at the time, and the step that the fork starts from (D7). */
export interface ForkOrigin {
  readonly runId: string;
  readonly seq: number;
  readonly from: string;
}

export interface RunStartedData {
  /** ISO 8601. Absent if the run has no deadline (D3). */
  readonly deadlineAt?: string;
}

/** A step id, or the items `from` to `to` of one step inside a container (K4). */
export type StepRange =
  string | { readonly container: string; readonly from: number; readonly to: number; readonly step: string };

/** An operator's retry of a finished run, or the start of its compensation. */
export interface RunReopenedData {
  readonly steps: readonly StepRange[];
  readonly deadlineAt?: string;
  /** `true` if the run only compensates its completed steps and then fails again (D8). */
  readonly compensate?: boolean;
}

/** The owner's answer to `RETRY_STEP` on a run that has not finished. */
export interface StepsResetData {
  readonly steps: readonly StepRange[];
}

/** Appended by a new owner before it decides anything. */
export interface RunTakenOverData {
  readonly epoch: number;
  readonly workerId: string;
  readonly stepsInFlight: readonly StepRange[];
}

/**
 * The recorded result of a container's closure (D1): the branch taken, the number of items and where they are stored,
 * the end of a sleep, or the id of a child run. For an inner step: its description.
 */
export interface Opened {
  readonly branch?: number;
  readonly count?: number;
  /** In an artifact, each chunk holds `pageSize` items, one per line. */
  readonly items?: { readonly inline: readonly Json[] } | { readonly artifact: string; readonly pageSize: number };
  readonly until?: string;
  readonly childRunId?: string;
  readonly inner?: InnerStep;
}

/** A step that the runner of the step around it has found, such as a node of a dbt project (D11). */
export type InnerStep = {
  /** Such as `model` or `test`. */
  readonly kind: string;
  /** Ids of the inner steps that it depends on. */
  readonly after: readonly string[];
  /** Identifies the definition that ran. Absent if the runner knows none. */
  readonly checksum?: string;
};

export interface StepStartedData {
  readonly opened?: Opened;
  /** Set for a step that only waits: `signal <name>` or `timer`. */
  readonly waitsFor?: string;
}

/** An operator's action, or a signal defined by the user (G1). The signal's id is the event's logical attempt (K2). */
export interface SignalAcceptedData {
  readonly namespace: "action" | "signal";
  readonly name: string;
  readonly payload?: Json;
  /** The step that an action refers to. */
  readonly stepId?: string;
  /** The sender. */
  readonly by?: string;
}

export interface SignalRejectedData extends SignalAcceptedData {
  readonly reason: string;
}

export interface StepCompletedData {
  readonly output?: Json;
  /**
   * The URI of the artifact in `artifacts` that holds the output as JSON, because an event cannot (P9). A marker if the
   * payloads are erased or not visible.
   */
  readonly outputArtifact?: string | JsonObject;
  /** The step that provides the output. The output of a container is the output of a step inside it. */
  readonly outputFrom?: string;
  /** The signal that a wait consumed. Its payload is the output. */
  readonly signalId?: string;
  /** For one pass of a `repeat`: `true` if another pass follows (D1). */
  readonly again?: boolean;
  readonly artifacts?: readonly ArtifactRef[];
  /** For a forked run: the seq of this event in the origin's log. The fork did not run the step. */
  readonly kept?: number;
  /** JSON Merge Patch (RFC 7396) of the user's state (D2). */
  readonly patch?: JsonObject;
  /** The datasets that the step has read and written. */
  readonly datasets?: DatasetUses;
  /** The attempt's span in the run's trace. Absent if it was not exported. */
  readonly spanId?: string;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** An error that caused another error. */
export interface ErrorCause {
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: ErrorCause;
}

export interface StepFailedData {
  readonly error: RunError;
  /** The frames of the error's stack trace in user code, shortened. Readers of the run's state do not get it. */
  readonly stack?: string;
  /** The `cause` of the error, shortened. */
  readonly cause?: ErrorCause;
  /** Artifacts of the failed attempt, such as its log. */
  readonly artifacts?: readonly ArtifactRef[];
  /** ISO 8601: the time of the next attempt. Absent if the retry policy allows none (D5). */
  readonly retryAt?: string;
  /** For a container: the step that made it fail (D8). */
  readonly culprit?: string;
  /** The attempt's span in the run's trace. Absent if it was not exported. */
  readonly spanId?: string;
}

export interface StepSkippedData {
  readonly reason: string;
  /** The step whose failure prevents this one from running (D8). */
  readonly culprit?: string;
}

export interface RunCompletedData {
  readonly output?: Json;
  /** The step that provides the run's output. */
  readonly outputFrom?: string;
  readonly artifacts?: readonly ArtifactRef[];
  /** Number of accepted signals that no step has taken. Absent if there are none (G1). */
  readonly untakenSignals?: number;
}

export interface RunFailedData {
  readonly error: RunError;
  readonly culprit?: string;
  /** Number of accepted signals that no step has taken. Absent if there are none (G1). */
  readonly untakenSignals?: number;
}

export interface RunCancelledData {
  /** Number of accepted signals that no step has taken. Absent if there are none (G1). */
  readonly untakenSignals?: number;
}
