/** The operations of clients on a store, in the form that `checkHistory` of @runledger/store-conformance takes. */
import type { AppendResult, CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";

export interface RecordedHistory {
  readonly operations: readonly RecordedOperation[];
  /** The final log of every run. */
  readonly logs: readonly { readonly runId: string; readonly events: readonly CanonicalEngineEvent[] }[];
  readonly checkpoints: readonly Checkpoint[];
}

export type RecordedOperation = RecordedSpan & OperationDraft;

export interface RecordedSpan {
  readonly client: string;
  readonly id: number;
  readonly invoked: number;
  /** `null` if no result arrived. */
  readonly returned: number | null;
}

export type OperationDraft = AppendDraft | ReadDraft | LeaseDraft | CheckpointDraft;

export interface AppendDraft {
  readonly kind: "append";
  readonly parts: readonly {
    readonly runId: string;
    readonly events: readonly { readonly key: string; readonly eventId: string; readonly digest: string }[];
    readonly fence: number | null;
    readonly checkpoint: Checkpoint | null;
    readonly outcome: Outcome;
  }[];
}

export type Outcome =
  | { readonly status: "acknowledged"; readonly results: readonly AppendResult[] }
  | { readonly status: "refused"; readonly code: string }
  | { readonly status: "unknown" };

export interface ReadDraft {
  readonly kind: "read";
  readonly runId: string;
  readonly afterSeq: number;
  readonly limit: number | null;
  readonly toSeq: number | null;
  readonly scoped: boolean;
  readonly events: readonly { readonly seq: number; readonly key: string }[];
}

export interface LeaseDraft {
  readonly kind: "lease";
  readonly runId: string;
  readonly workerId: string;
  readonly epoch: number;
  readonly headSeq: number;
}

export interface CheckpointDraft {
  readonly kind: "checkpoint";
  readonly checkpoint: Checkpoint;
}
