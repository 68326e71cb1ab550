import type { ArtifactRef } from "./artifact.js";
import type { Json, JsonObject } from "./json.js";

/** The format of the log that this version writes; a worker never claims a run with a higher one (F5). */
export const LOG_FORMAT = 1;

/** First event of every run that the ledger itself starts: the log alone rebuilds everything (N4). */
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
  /** ISO 8601: it does not begin before. */
  readonly startAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly parent?: { readonly runId: string; readonly stepId: string };
  readonly schedule?: { readonly scheduleId: string; readonly tick: string };
  readonly fork?: ForkOrigin;
  /** Who started it. The same request by somebody else is the same run. */
  readonly by?: string;
}

/** Which run a fork was made of, how far that had come, and the step it begins at (D7). */
export interface ForkOrigin {
  readonly runId: string;
  readonly seq: number;
  readonly from: string;
}

export interface RunStartedData {
  /** ISO 8601; absent = no deadline (D3). */
  readonly deadlineAt?: string;
}

/** Steps named one by one, or as the items `from` to `to` of one step inside a container (K4). */
export type StepRange =
  string | { readonly container: string; readonly from: number; readonly to: number; readonly step: string };

/** An operator's retry of a finished run. */
export interface RunReopenedData {
  readonly steps: readonly StepRange[];
  readonly deadlineAt?: string;
}

/** The lease holder's answer to `RETRY_STEP` on a live run. */
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
 * What a container's closure returned when it was opened (D1): the branch taken, how many items there are and where
 * they are kept, when a sleep ends, which run a child is.
 */
export interface Opened {
  readonly branch?: number;
  readonly count?: number;
  /** In an artifact, `pageSize` of them are a chunk, a line each. */
  readonly items?: { readonly inline: readonly Json[] } | { readonly artifact: string; readonly pageSize: number };
  readonly until?: string;
  readonly childRunId?: string;
}

export interface StepStartedData {
  readonly opened?: Opened;
  /** Of a step that only waits: `signal <name>` or `timer`. */
  readonly waitsFor?: string;
}

/** An operator's action, or a signal of the user's own (G1). The signal's id is the event's logical attempt (K2). */
export interface SignalAcceptedData {
  readonly namespace: "action" | "signal";
  readonly name: string;
  readonly payload?: Json;
  /** The step that an action is about. */
  readonly stepId?: string;
  /** Who sent it. */
  readonly by?: string;
}

export interface SignalRejectedData extends SignalAcceptedData {
  readonly reason: string;
}

export interface StepCompletedData {
  readonly output?: Json;
  /** The step whose output this one's is: a container's is that of a step in it. */
  readonly outputFrom?: string;
  /** The signal that a wait got; its payload is the output. */
  readonly signalId?: string;
  /** Of one pass through a `repeat`: whether there is another (D1). */
  readonly again?: boolean;
  readonly artifacts?: readonly ArtifactRef[];
  /** Of a fork: where the origin's log has it; the step was not run here. */
  readonly kept?: number;
  /** JSON Merge Patch (RFC 7396) of the user's state (D2). */
  readonly patch?: JsonObject;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface StepFailedData {
  readonly error: RunError;
  /** Of the attempt that failed: its log, first of all. */
  readonly artifacts?: readonly ArtifactRef[];
  /** ISO 8601: when the plan's retry policy tries again; absent = it does not (D5). */
  readonly retryAt?: string;
}

export interface StepSkippedData {
  readonly reason: string;
  /** The step whose failure made this one impossible (D8). */
  readonly culprit?: string;
}

export interface RunCompletedData {
  readonly output?: Json;
  /** The step whose output is the run's. */
  readonly outputFrom?: string;
  readonly artifacts?: readonly ArtifactRef[];
}

export interface RunFailedData {
  readonly error: RunError;
  readonly culprit?: string;
}
