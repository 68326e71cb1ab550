import type { CanonicalEngineEvent } from "./event.js";
import type { Json } from "./json.js";

/** A run has reached at least this head. What happened is read from the log. */
export interface RunChange {
  readonly runId: string;
  readonly headSeq: number;
}

/** Where a follower stands. Opaque: only the store that made it reads `position`. */
export interface FeedCursor {
  readonly follower: string;
  /** Counts saves, so that of two processes with one name only one moves it. */
  readonly version: number;
  readonly position: Json;
}

export interface FeedPage {
  readonly changes: readonly RunChange[];
  readonly cursor: FeedCursor;
  /** False = there was more than `limit`: read again at once. */
  readonly caughtUp: boolean;
  /** The store's time when it was read: what a lag is measured by. */
  readonly now: string;
}

/** A run, and how far a follower has read it. */
export interface RunWatermark {
  readonly runId: string;
  readonly afterSeq: number;
}

/**
 * Tells followers *that* runs changed (F8). Every acknowledged append shows up at least once, late at worst,
 * also when commits become visible out of order. No order between runs is promised.
 */
export interface ChangeFeed {
  /** The follower's saved cursor. A new one starts in front of all that is kept; what was pruned before, the heads tell: enumerate them after this call. */
  openFollower(follower: string): Promise<FeedCursor>;
  /** Reads on from a cursor without saving anything. At most about `limit` (default 1000) changes. */
  readChanges(cursor: FeedCursor, options?: { readonly limit?: number }): Promise<FeedPage>;
  /** Saves where the follower stands. Null = another process saved first: open the follower again. */
  saveCursor(cursor: FeedCursor): Promise<FeedCursor | null>;
  removeFollower(follower: string): Promise<void>;
  /** Per run, its events above its watermark, ascending, at most `limit` (default 1000) of each. Archived runs too. */
  fetchRuns(
    runs: readonly RunWatermark[],
    options?: { readonly limit?: number },
  ): Promise<readonly (readonly CanonicalEngineEvent[])[]>;
  /**
   * Says that a member of a group of processes lives, for `ttlMs` from the store's now, and who else does: ascending.
   * They share the work out between them; where they disagree for a while, cursors and watermarks keep it right.
   */
  attend(params: {
    readonly group: string;
    readonly member: string;
    readonly ttlMs: number;
  }): Promise<readonly string[]>;
  /** Gone, at once. */
  leave(params: { readonly group: string; readonly member: string }): Promise<void>;
  /** Deletes what every follower has passed, and says how much. */
  pruneChanges(): Promise<number>;
}
