import type { Json } from "./json.js";

/** The event types whose effect the fold knows; readers skip any other (F5). */
export const eventTypes = [
  /** The first event of every run that the ledger starts: all that is known of it (N4). */
  "RunQueued",
  /** Somebody let it begin that waited for approval. */
  "RunApproved",
  /** A worker has begun it. */
  "RunStarted",
  /** No step begins until it is resumed; what runs goes on. */
  "RunPaused",
  /** It goes on after a pause. */
  "RunResumed",
  /** It has ended, with an output. */
  "RunCompleted",
  /** It has ended: a step failed for good, or its deadline passed. */
  "RunFailed",
  /** It has ended: somebody stopped it, and what could be undone was. */
  "RunCancelled",
  /** It had ended, and an operator has it run again what failed. */
  "RunReopened",
  /** Another worker goes on with it, because the one before is gone. */
  "RunTakenOver",
  /** An attempt of a step has begun; of a container, with what its closure returned. */
  "StepStarted",
  /** A step is done. It never runs again, unless an operator orders it to. */
  "StepCompleted",
  /** An attempt has failed; there may be another. */
  "StepFailed",
  /** A step will not run. */
  "StepSkipped",
  /** An operator has some steps of a run that is still open run again. */
  "StepsReset",
  /** An operator's action or a signal came, and counts. */
  "SignalAccepted",
  /** An operator's action or a signal came, and changes nothing. */
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
