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
  /** Deletes what every follower has passed, and says how much. */
  pruneChanges(): Promise<number>;
}
