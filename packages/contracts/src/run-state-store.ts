import type { CanonicalEngineEvent, NewEvent } from "./event.js";
import type { RunSnapshot } from "./snapshot.js";

export interface AppendResult {
  /** Assigned by the append authority; for a duplicate, the original's. */
  readonly runSeq: number;
  /** True = the key was already stored (K5). */
  readonly idempotent: boolean;
  /** True = this call wrote the event. */
  readonly persisted: boolean;
  /** True = the key was already stored with another payload; the first write won (K5). */
  readonly conflict?: boolean;
}

/** The contract that every store keeps (state-store-contract 1). */
export interface IRunStateStore {
  /** Resolves only after commit. A key that is already stored answers with its original `runSeq`. */
  appendEvent(event: NewEvent): Promise<AppendResult>;

  /** Events with `runSeq` above `afterSeq` (default 0), ascending, at most `limit` (default 1000). */
  fetchEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<CanonicalEngineEvent[]>;

  /** The stored projection; null = none yet. `stale` says that the log is ahead of it. */
  getSnapshot(runId: string): Promise<RunSnapshot | null>;

  /** The fold of the whole log: always current. Throws RUN_NOT_FOUND for an unknown run. */
  projectSnapshot(runId: string): Promise<RunSnapshot>;
}
