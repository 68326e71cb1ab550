import type { Checkpoint } from "./checkpoints.js";
import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { QueuePlace } from "./run-queue.js";
import type { AppendResult } from "./run-state-store.js";

export interface AppendOptions {
  /**
   * The head that the run must have (P3). Above 0 it implies `mustExist`. Requires that all events belong to one run.
   */
  readonly expectedSeq?: number;
  /**
   * The lease epoch under which the caller owns the run (P4). Implies `mustExist`. Requires that all events belong to
   * one run.
   */
  readonly fence?: number;
  /**
   * The state on which the caller judged a signal (G1). The append is refused if the verdict may no longer hold. Implies
   * `mustExist`. Requires that all events belong to one run.
   */
  readonly judgedAt?: JudgedAt;
  /** Refuse with RUN_NOT_FOUND instead of creating a run (P5). */
  readonly mustExist?: boolean;
  /**
   * Saved in the same transaction if its seq is higher than that of the stored checkpoint (C2). Requires that all
   * events belong to one run.
   */
  readonly checkpoint?: Checkpoint;
  /**
   * Runs that become claimable in the same transaction: a signal wakes its run, a finished child wakes its parent (O2,
   * D9).
   */
  readonly wakes?: readonly string[];
  /**
   * Marks an operator's action: workers claim the run regardless of limits until it has answered (Q2). Requires that
   * all events belong to one run.
   */
  readonly acts?: boolean;
  /**
   * The run has finished: it leaves the queue and its owner releases it in the same transaction. Requires that all
   * events belong to one run.
   */
  readonly ends?: boolean;
  /** A finished run enters the queue again in the same transaction. Requires that all events belong to one run. */
  readonly enqueues?: QueuePlace;
  /** Withdraws the call as long as it has not been sent (P6). */
  readonly signal?: AbortSignalLike;
}

/**
 * The conditions under which a verdict on a signal still holds. The store checks them under the lock of the head. Events
 * of other steps do not matter, so a signal gets through to a run that appends all the time.
 */
export interface JudgedAt {
  /** The last seq that the caller has folded. A later run-level event refuses the append with SEQ_MISMATCH. */
  readonly seq: number;
  /** The step that the verdict is about. A later event of this step also refuses the append. */
  readonly stepId?: string;
  /** ISO 8601. Before this time, by the store's clock, the append is refused with SIGNAL_LIMIT (P9). */
  readonly notBefore?: string;
}

/** The used part of an AbortSignal. Declared here so that this package depends on no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The row that every append of the run locks and advances (P2). */
export interface RunHead {
  readonly runId: string;
  readonly tenantId: string;
  readonly headSeq: number;
  /** For an authority that is not contiguous: numbers up to this one that are missing stay missing (P10). */
  readonly settledSeq?: number;
  /** 0 if the run was never leased. */
  readonly leaseEpoch: number;
  /** `null` if the run has no owner. */
  readonly leaseOwner: string | null;
  /** The time of the last event, by the store's clock. */
  readonly persistedAt: string;
  readonly archived: boolean;
}

/** The log of all runs. Every method is safe to call again with the same arguments. */
export interface EventLog {
  /**
   * Appends, per run, all of the run's events or none, in call order (P1). Resolves only after commit. A key that is
   * already stored returns its original `runSeq` and `idempotent: true` (K5), regardless of the options. Throws the
   * refusal if the call concerns one run, APPEND_PARTIAL if only some runs of a call were refused.
   */
  appendEvents(events: readonly NewEvent[], options?: AppendOptions): Promise<readonly AppendResult[]>;

  /**
   * Number of events that this process appended although their key was stored with another payload (K5). Absent if the
   * store does not count them.
   */
  readonly conflicts?: number;

  /** Streams the events that `fetchEvents` returns, without a limit and in constant memory. `toSeq` is inclusive. */
  streamEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly toSeq?: number },
  ): AsyncIterable<CanonicalEngineEvent>;

  /** Returns the events with these idempotency keys, ascending by `runSeq`. Unknown keys are omitted. */
  fetchByKeys(runId: string, idempotencyKeys: readonly string[]): Promise<CanonicalEngineEvent[]>;

  /** Returns the heads of these runs, ascending by id. Unknown runs are omitted. */
  fetchHeads(runIds: readonly string[]): Promise<RunHead[]>;

  /**
   * Lists heads by id, above `afterRunId`, at most `limit` (default 1000). Archived runs are listed only if `archived`
   * is set.
   */
  listHeads(options?: {
    readonly afterRunId?: string;
    readonly limit?: number;
    readonly archived?: boolean;
  }): Promise<RunHead[]>;
}
