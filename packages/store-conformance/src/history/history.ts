import type { AppendResult, CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";

/** What several clients did to a store, and what the store held when they had ended. Plain JSON. */
export interface History {
  readonly operations: readonly Operation[];
  /** The log of every run, read when nothing was in flight any more. */
  readonly logs: readonly RunLog[];
  /** The checkpoints that were stored at the end. */
  readonly checkpoints: readonly Checkpoint[];
}

export interface RunLog {
  readonly runId: string;
  readonly events: readonly CanonicalEngineEvent[];
}

export type Operation = AppendOperation | ReadOperation | LeaseOperation | CheckpointOperation;

/** When a client asked and when it was answered, by one clock for all clients. */
export interface Span {
  readonly client: string;
  /** Counts the client's operations. */
  readonly id: number;
  readonly invoked: number;
  /** Null = no answer came: the client died, or is still waiting. */
  readonly returned: number | null;
}

export interface AppendOperation extends Span {
  readonly kind: "append";
  /** One per run of the call: each is appended as a whole or not at all (P1). */
  readonly parts: readonly AppendedPart[];
}

export interface AppendedPart {
  readonly runId: string;
  readonly events: readonly AppendedEvent[];
  /** Null = the call carried no lease epoch. */
  readonly fence: number | null;
  readonly checkpoint: Checkpoint | null;
  readonly outcome: PartOutcome;
}

export interface AppendedEvent {
  readonly key: string;
  readonly eventId: string;
  /** Of the payload; equal for equal payloads. */
  readonly digest: string;
}

export type PartOutcome =
  | { readonly status: "acknowledged"; readonly results: readonly AppendResult[] }
  | { readonly status: "refused"; readonly code: string }
  /** Stored or not; nobody knows (P7). */
  | { readonly status: "unknown" };

export interface ReadOperation extends Span {
  readonly kind: "read";
  readonly runId: string;
  readonly afterSeq: number;
  /** Null = no limit. */
  readonly limit: number | null;
  /** Inclusive; null = to the end. */
  readonly toSeq: number | null;
  /** The reader saw one tenant only: to it, an empty page may mean another tenant's run. */
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
