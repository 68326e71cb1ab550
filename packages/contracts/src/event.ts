import type { Json } from "./json.js";

/** The event types whose effect the fold knows; readers skip any other (F5). */
export const eventTypes = [
  "RunQueued",
  "RunApproved",
  "RunStarted",
  "RunPaused",
  "RunResumed",
  "RunCompleted",
  "RunFailed",
  "RunCancelled",
  "RunReopened",
  "RunTakenOver",
  "StepStarted",
  "StepCompleted",
  "StepFailed",
  "StepSkipped",
  "StepsReset",
  "SignalAccepted",
  "SignalRejected",
] as const;

export type EventType = (typeof eventTypes)[number];

/** One line of the ledger, as it is read (state-store-contract 1, N2). */
export interface CanonicalEngineEvent {
  readonly runId: string;
  /** Assigned by the append authority; strictly increasing per run. */
  readonly runSeq: number;
  /** UUID. */
  readonly eventId: string;
  /** Absent = the event concerns the run as a whole. */
  readonly stepId?: string;
  /** Counts what the platform repeats by itself; never part of the key. */
  readonly engineAttemptId?: string;
  /** Counts what a policy or an operator repeats; part of the key (K2). */
  readonly logicalAttemptId?: string;
  readonly eventType: string;
  readonly eventData: Json;
  /** SHA-256 of `runId|stepId|logicalAttemptId|eventType|planVersion` (K1). */
  readonly idempotencyKey: string;
  /** ISO 8601, UTC, milliseconds: the emitter's clock. */
  readonly emittedAt: string;
  /** ISO 8601, UTC, milliseconds: the store's clock, read under the head's lock. */
  readonly persistedAt?: string;
  readonly adapterVersion?: string;
  /** Where the executing platform knows this run: a Temporal workflow id, a Conductor execution id, … */
  readonly engineRunRef?: Json;
  /** The signal that caused this event; any string (N2). */
  readonly causedBySignalId?: string;
  readonly parentEventId?: string;
  readonly planId?: string;
  readonly planVersion?: string;
}

/** An event before the append authority numbered and dated it (N2). */
export interface NewEvent extends Omit<CanonicalEngineEvent, "runSeq" | "persistedAt"> {
  readonly logicalAttemptId: string;
  readonly planVersion: string;
}
