import type { Json } from "./json.js";

/** The event types that the fold interprets. Readers skip any other type (F5). */
export const eventTypes = [
  /** The first event of every run that the ledger starts. It holds the input and all settings of the run (N4). */
  "RunQueued",
  /** An operator approved the start of the run. */
  "RunApproved",
  /** A worker started the run. */
  "RunStarted",
  /** The run was paused. Running steps continue, and no step starts until the run is resumed. */
  "RunPaused",
  /** The run was resumed after a pause. */
  "RunResumed",
  /** The run finished with an output. */
  "RunCompleted",
  /** The run failed: a step failed permanently, or the deadline passed. */
  "RunFailed",
  /** The run was cancelled, and steps that can be compensated were. */
  "RunCancelled",
  /** An operator reopened a finished run to retry its failed steps. */
  "RunReopened",
  /** Another worker took over the run after its worker was lost. */
  "RunTakenOver",
  /** An attempt of a step started. For a container, the event records the result of its closure. */
  "StepStarted",
  /** A step completed. It does not run again unless an operator resets it. */
  "StepCompleted",
  /** An attempt failed. The retry policy may start another one. */
  "StepFailed",
  /** The step will not run. */
  "StepSkipped",
  /** An operator reset steps of a run that has not finished, so that they run again. */
  "StepsReset",
  /** An operator's action or a signal arrived and was accepted. */
  "SignalAccepted",
  /** An operator's action or a signal arrived and was rejected. It changes nothing. */
  "SignalRejected",
] as const;

export type EventType = (typeof eventTypes)[number];

/** One event of a run's log, as readers get it (N2). */
export interface CanonicalEngineEvent {
  readonly runId: string;
  /** Assigned by the append authority. Strictly increasing per run. */
  readonly runSeq: number;
  /** UUID. */
  readonly eventId: string;
  /** Absent if the event concerns the run as a whole. */
  readonly stepId?: string;
  /** Counts how often the platform ran this attempt by itself: `1`, then one more per take-over (D5). Never part of the key. */
  readonly engineAttemptId?: string;
  /** Counts attempts that a policy or an operator requests. Part of the key (K2). */
  readonly logicalAttemptId?: string;
  readonly eventType: string;
  readonly eventData: Json;
  /** SHA-256 of `runId|stepId|logicalAttemptId|eventType|planVersion` (K1). */
  readonly idempotencyKey: string;
  /** ISO 8601, UTC, milliseconds, by the emitter's clock. */
  readonly emittedAt: string;
  /** ISO 8601, UTC, milliseconds, by the store's clock, read under the head's lock. */
  readonly persistedAt?: string;
  /** Engine and version that wrote the event, such as `embedded-v1.2.3` (N5). */
  readonly adapterVersion?: string;
  /** The run's id on the executing platform: a Temporal workflow id, a Conductor execution id, … (N5) */
  readonly engineRunRef?: Json;
  /** The signal that caused this event. Any string (N2). */
  readonly causedBySignalId?: string;
  /** The event of the same run that this event follows from (N5). */
  readonly parentEventId?: string;
  readonly planId?: string;
  readonly planVersion?: string;
}

/** An event before the append authority has assigned its number and time (N2). */
export interface NewEvent extends Omit<CanonicalEngineEvent, "runSeq" | "persistedAt"> {
  readonly logicalAttemptId: string;
  readonly planVersion: string;
}
