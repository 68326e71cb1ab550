import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { RunSnapshot } from "./snapshot.js";

export interface AppendResult {
  /** Assigned by the append authority. For a duplicate, the seq of the original. */
  readonly runSeq: number;
  /** `true` if the key was already stored (K5). */
  readonly idempotent: boolean;
  /** `true` if this call wrote the event. */
  readonly persisted: boolean;
  /** `true` if the key was already stored with another payload. The first write wins (K5). */
  readonly conflict?: boolean;
}

/** The contract of every store. */
export interface IRunStateStore {
  /** Resolves only after commit. A key that is already stored returns its original `runSeq`. */
  appendEvent(event: NewEvent): Promise<AppendResult>;

  /** Returns events with `runSeq` above `afterSeq` (default 0), ascending, at most `limit` (default 1000). */
  fetchEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<CanonicalEngineEvent[]>;

  /** Returns the stored projection, or `null` if there is none yet. `stale` is `true` if the log is ahead of it. */
  getSnapshot(runId: string): Promise<RunSnapshot | null>;

  /** Folds the whole log, so the result is always current. Throws RUN_NOT_FOUND for an unknown run. */
  projectSnapshot(runId: string): Promise<RunSnapshot>;
}
