import type { ChangeFeed, FeedCursor } from "@runledger/contracts";

export interface FeedReading {
  /** The highest head that was told of each run. */
  readonly heads: ReadonlyMap<string, number>;
  readonly cursor: FeedCursor;
}

/** Reads on from a cursor until it has caught up. */
export async function readOn(feed: ChangeFeed, from: FeedCursor, limit = 1000): Promise<FeedReading> {
  const heads = new Map<string, number>();
  let cursor = from;
  for (let pages = 0; pages < 10_000; pages++) {
    const page = await feed.readChanges(cursor, { limit });
    cursor = page.cursor;
    for (const { runId, headSeq } of page.changes) heads.set(runId, Math.max(headSeq, heads.get(runId) ?? 0));
    if (page.caughtUp) return { heads, cursor };
  }
  throw new Error("after 10,000 pages the feed had still not caught up");
}

/** A new follower that has read everything there was, and saved it: what comes next is news. */
export async function followFromHere(feed: ChangeFeed, follower: string): Promise<FeedCursor> {
  const { cursor } = await readOn(feed, await feed.openFollower(follower));
  const saved = await feed.saveCursor(cursor);
  if (saved === null) throw new Error(`somebody else moves ${follower}`);
  return saved;
}
