/**
 * The messages between the workflow, its activities and the dispatcher. Temporal stores them in the history of the
 * execution, so they hold no inputs, outputs, states or payloads: those stay in the ledger (T2).
 */
import type { CanonicalEngineEvent, Checkpoint, Plan } from "@runledger/contracts";
import type { Command, EventDraft } from "@runledger/core";

/** The type of the only workflow. */
export const WORKFLOW_TYPE = "runledgerRun";
export const GRANT = "grant";
/** Wakes an execution that has no dispatcher. */
export const WAKE = "wake";
/** Search attributes of type `Keyword` that an execution sets if its namespace defines them. */
export const SEARCH_ATTRIBUTES = ["RunledgerWorkflow", "RunledgerTenant", "RunledgerStatus"] as const;
export type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];

/** The dispatcher claimed the run and lets the execution drive it under this epoch until it parks the run. */
export interface Grant {
  readonly epoch: number;
  /** Number of times the run was woken. A higher number means: read the log again. */
  readonly wakes: number;
  /** `false` if the run was claimed regardless of limits, to answer an operator (Q2). */
  readonly slot: boolean;
  /** The worker that lost the run. `null` if the run was free. */
  readonly takenFrom: string | null;
}

/** The input of an execution. Continue-as-new carries the same: everything else is in the ledger. */
export interface RunInput {
  readonly runId: string;
  readonly settings: ExecutionSettings;
  /** The grant in effect. Absent in the first execution, which gets one as a signal. */
  readonly grant?: Grant;
  /** `true` if the store has no queue: nothing grants the run, and the execution waits inside itself. */
  readonly isDirect?: boolean;
}

export interface ExecutionSettings {
  /** Continue as new after this many steps. */
  readonly continueAfterSteps: number;
  /** Continue as new once the history has this many bytes. */
  readonly continueAfterBytes: number;
  /** A worker that is silent for this long loses its activity. */
  readonly heartbeatTimeoutMs: number;
  /** Maximum number of activities of one run at a time. */
  readonly maxActivities: number;
  /** The search attributes to set. Absent in executions of earlier versions. */
  readonly searchAttributes?: readonly SearchAttribute[];
}

/** The plan of a run, and the run's position: a checkpoint without the user's state. */
export interface Loaded {
  readonly plan: Plan;
  readonly cursor: Checkpoint;
  readonly now: number;
}

/** The part of the log after the seq that the workflow has folded. */
export interface News {
  readonly events: readonly CanonicalEngineEvent[];
  /** `true` if the log holds still more. */
  readonly hasMore: boolean;
  /** `true` if the log had other events than expected, and nothing was written. */
  readonly refused: boolean;
  /** The store's time. */
  readonly now: number;
}

export interface NewsParams {
  readonly runId: string;
  readonly afterSeq: number;
}

export interface AppendParams {
  readonly runId: string;
  readonly epoch: number;
  readonly expectedSeq: number;
  readonly drafts: readonly EventDraft[];
}

export interface ParkParams {
  readonly runId: string;
  readonly epoch: number;
  readonly expectedSeq: number;
  readonly wakes: number;
  readonly wakeAt: number | null;
}

/** A command that is carried out by an activity. */
export type Work = Extract<Command, { readonly type: "run" | "open" | "askAgain" | "awaitChild" }>;

export interface WorkParams {
  readonly runId: string;
  readonly epoch: number;
  /** The seq that the workflow has folded. */
  readonly afterSeq: number;
  /** Events to append before the work, at exactly that seq. */
  readonly before: readonly EventDraft[];
  readonly command: Work;
  /** `true` if the child of the command must be cancelled first. */
  readonly cancelChild: boolean;
}

/** The activities, as the workflow calls them. */
export interface Activities {
  load(params: { readonly runId: string }): Promise<Loaded>;
  readNews(params: NewsParams): Promise<News>;
  append(params: AppendParams): Promise<News>;
  /** Returns `false` if something came in between. */
  park(params: ParkParams): Promise<boolean>;
  work(params: WorkParams): Promise<News>;
}
