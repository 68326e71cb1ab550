import type { AppendResult, CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";

/** The operations of several clients on a store, and the store's final content. Plain JSON. */
export interface History {
  readonly operations: readonly Operation[];
  /** The log of every run, read after all operations. */
  readonly logs: readonly RunLog[];
  /** The checkpoints that were stored at the end. */
  readonly checkpoints: readonly Checkpoint[];
  /** The events that a subscriber received, in the order of their arrival. Absent if none was subscribed. */
  readonly published?: readonly PublishedEvent[];
}

export interface RunLog {
  readonly runId: string;
  readonly events: readonly CanonicalEngineEvent[];
}

export interface PublishedEvent {
  readonly runId: string;
  readonly seq: number;
  readonly eventId: string;
  /** Digest of the payload, as `digestOf` computes it. */
  readonly digest: string;
}

export type Operation = AppendOperation | ReadOperation | LeaseOperation | CheckpointOperation;

/** The times when a client called and when it got the answer, by one clock for all clients. */
export interface Span {
  readonly client: string;
  /** Counts the client's operations. */
  readonly id: number;
  readonly invoked: number;
  /** `null` if the client got no answer: it was killed, or is still waiting. */
  readonly returned: number | null;
}

export interface AppendOperation extends Span {
  readonly kind: "append";
  /** One per run of the call. Each is appended as a whole or not at all (P1). */
  readonly parts: readonly AppendedPart[];
}

export interface AppendedPart {
  readonly runId: string;
  readonly events: readonly AppendedEvent[];
  /** `null` if the call carried no lease epoch. */
  readonly fence: number | null;
  readonly checkpoint: Checkpoint | null;
  readonly outcome: PartOutcome;
}

export interface AppendedEvent {
  readonly key: string;
  readonly eventId: string;
  /** Digest of the payload; equal for equal payloads. */
  readonly digest: string;
}

export type PartOutcome =
  | { readonly status: "acknowledged"; readonly results: readonly AppendResult[] }
  | { readonly status: "refused"; readonly code: string }
  /** It is unknown whether the events were stored (P7). */
  | { readonly status: "unknown" };

export interface ReadOperation extends Span {
  readonly kind: "read";
  readonly runId: string;
  readonly afterSeq: number;
  /** `null` if there is no limit. */
  readonly limit: number | null;
  /** Inclusive. `null` reads to the end. */
  readonly toSeq: number | null;
  /** `true` if the reader saw only one tenant: an empty page may mean that the run belongs to another tenant. */
  readonly scoped: boolean;
  readonly events: readonly { readonly seq: number; readonly key: string }[];
}

/** One lease that was granted. */
export interface LeaseOperation extends Span {
  readonly kind: "lease";
  readonly runId: string;
  readonly workerId: string;
  readonly epoch: number;
  /** The run's head at that moment, under its lock. */
  readonly headSeq: number;
}

/** One checkpoint that was read. */
export interface CheckpointOperation extends Span {
  readonly kind: "checkpoint";
  readonly checkpoint: Checkpoint;
}
