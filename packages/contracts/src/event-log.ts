import type { Checkpoint } from "./checkpoints.js";
import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { QueuePlace } from "./run-queue.js";
import type { AppendResult } from "./run-state-store.js";

export interface AppendOptions {
  /** The head the run must have (P3). Only for a call whose events belong to one run. */
  readonly expectedSeq?: number;
  /** The lease epoch under which the caller owns the run (P4). Only for a call of one run; implies `mustExist`. */
  readonly fence?: number;
  /** Refuse with RUN_NOT_FOUND instead of creating a run (P5). */
  readonly mustExist?: boolean;
  /** Saved in the same transaction, if its seq is greater than the stored one's (C2). Only for a call of one run. */
  readonly checkpoint?: Checkpoint;
  /** Runs that become claimable in the same transaction: a signal wakes its run, a child's end its parent (O2, D9). */
  readonly wakes?: readonly string[];
  /** An operator's action: its run is claimed outside all limits until it has answered (Q2). Only for a call of one run. */
  readonly acts?: boolean;
  /** The run has ended: it leaves the queue, and whoever owns it, in the same transaction. Only for a call of one run. */
  readonly ends?: boolean;
  /** A finished run enters the queue again in the same transaction. Only for a call of one run. */
  readonly enqueues?: QueuePlace;
  /** Withdraws the call while it has not been sent (P6). */
  readonly signal?: AbortSignalLike;
}

/** The part of an AbortSignal that is used, so that this package needs no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The row that is locked and advanced by every append of its run (P2). */
export interface RunHead {
  readonly runId: string;
  readonly tenantId: string;
  readonly headSeq: number;
  /** Of an authority that is not contiguous: numbers up to here that are missing never come (P10). */
  readonly settledSeq?: number;
  /** 0 = never leased. */
  readonly leaseEpoch: number;
  /** Null = nobody owns the run. */
  readonly leaseOwner: string | null;
  /** When the last event was persisted, by the store's clock. */
  readonly persistedAt: string;
  readonly archived: boolean;
}

/** The log of all runs. Every method is safe to call again with the same arguments. */
export interface EventLog {
  /**
   * Appends, per run, all of the run's events or none, in call order (P1). Resolves only after commit.
   * A key that is already stored answers with its original `runSeq` and `idempotent: true` (K5), whatever the options.
   * Throws the refusal of a call of one run, APPEND_PARTIAL where only some runs of a call were refused.
   */
  appendEvents(events: readonly NewEvent[], options?: AppendOptions): Promise<readonly AppendResult[]>;

  /** The same events as `fetchEvents`, without a limit and in flat memory. `toSeq` ends it (inclusive). */
  streamEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly toSeq?: number },
  ): AsyncIterable<CanonicalEngineEvent>;

  /** The events with these idempotency keys, ascending by `runSeq`; unknown keys are left out. */
  fetchByKeys(runId: string, idempotencyKeys: readonly string[]): Promise<CanonicalEngineEvent[]>;

  /** The heads of these runs, ascending by id; unknown runs are left out. */
  fetchHeads(runIds: readonly string[]): Promise<RunHead[]>;

  /** Heads by id, above `afterRunId`, at most `limit` (default 1000); archived ones only when asked for. */
  listHeads(options?: {
    readonly afterRunId?: string;
    readonly limit?: number;
    readonly archived?: boolean;
  }): Promise<RunHead[]>;
}
