import type { CanonicalEngineEvent } from "./event.js";
import type { Json } from "./json.js";

/** Reports that a run has reached at least this head. The log holds the events themselves. */
export interface RunChange {
  readonly runId: string;
  readonly headSeq: number;
}

/** The position of a follower. Only the store that created it reads `position`. */
export interface FeedCursor {
  readonly follower: string;
  /** Incremented by every save, so that only one of two processes with the same name can move the cursor. */
  readonly version: number;
  readonly position: Json;
}

export interface FeedPage {
  readonly changes: readonly RunChange[];
  readonly cursor: FeedCursor;
  /** `false` if there were more than `limit` changes: read again immediately. */
  readonly caughtUp: boolean;
  /** The store's time of the read. Followers measure their lag by it. */
  readonly now: string;
  /**
   * `true` if the feed does not continue at the cursor, because the store is in an earlier state than when the cursor was
   * read: a failover lost its last moments, or a backup was restored. The page has no changes. Drop everything that was read
   * before, open the follower again and list the heads.
   */
  readonly isReset?: boolean;
}

/** How far projections are behind the log. */
export interface ProjectionLag {
  /** The store's time of the measurement. */
  readonly now: string;
  /** When the oldest event was stored that no projection includes. `null` if projections are up to date. */
  readonly oldestAt: string | null;
}

/** A run, and the seq up to which a follower has read it. */
export interface RunWatermark {
  readonly runId: string;
  readonly afterSeq: number;
}

/**
 * Reports to followers *that* runs changed (F8). Every acknowledged append is reported at least once, possibly late,
 * even if commits become visible out of order. Changes of different runs have no guaranteed order.
 */
export interface ChangeFeed {
  /**
   * Returns the follower's saved cursor. A new follower starts before everything that is kept. To learn of runs whose
   * changes were pruned earlier, list the heads after this call.
   */
  openFollower(follower: string): Promise<FeedCursor>;
  /**
   * Returns the follower's saved cursor without creating the follower. If there is none, the cursor has version 0 and is
   * before everything that is kept; it can be read from, but not saved.
   */
  findFollower(follower: string): Promise<FeedCursor>;
  /** Reads from a cursor without saving anything. Returns at most about `limit` (default 1000) changes. */
  readChanges(cursor: FeedCursor, options?: { readonly limit?: number }): Promise<FeedPage>;
  /** Saves the follower's position. Returns `null` if another process saved first: open the follower again. */
  saveCursor(cursor: FeedCursor): Promise<FeedCursor | null>;
  removeFollower(follower: string): Promise<void>;
  /**
   * Returns, per run, its events above the watermark, ascending, at most `limit` (default 1000) each. Archived runs are
   * included. With `maxBytes`, a store may leave out events after the first once their payloads have about that size: the
   * last events of a run, and all events of the runs after it.
   */
  fetchRuns(
    runs: readonly RunWatermark[],
    options?: { readonly limit?: number; readonly maxBytes?: number },
  ): Promise<readonly (readonly CanonicalEngineEvent[])[]>;
  /**
   * Registers a member of a group of processes for `ttlMs` from the store's current time. Returns the ids of all live
   * members, ascending. Members divide the work by this list. If they disagree for a while, cursors and watermarks keep
   * the result correct.
   */
  attend(params: {
    readonly group: string;
    readonly member: string;
    readonly ttlMs: number;
  }): Promise<readonly string[]>;
  /** Removes a member immediately. */
  leave(params: { readonly group: string; readonly member: string }): Promise<void>;
  /**
   * Compares the heads of the log with the projections, by the store's clock. Needs no projector, and counts no run that is
   * marked `stale`, because a projector has already reported it. `group` names the followers that project: changes that
   * all of them have passed are not compared again. A store may report no lag while the oldest change above their cursors is
   * younger than `ignoreMs` (default 0).
   */
  measureLag(params: { readonly group: string; readonly ignoreMs?: number }): Promise<ProjectionLag>;
  /**
   * Lists runs whose projection is behind their head, archived runs included, in the order of their ids. Compares at most
   * `limit` (default 10,000) runs above `afterRunId`. `next` continues the list; `null` if it is complete.
   */
  listBehind(params?: {
    readonly afterRunId?: string;
    readonly limit?: number;
  }): Promise<{ readonly runIds: readonly string[]; readonly next: string | null }>;
  /** Deletes changes that every follower has passed, at most 100,000 per call. Returns their number. */
  pruneChanges(): Promise<number>;
}
