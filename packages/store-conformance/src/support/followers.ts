import type { ChangeFeed, FeedCursor } from "@runledger/contracts";

export interface FeedReading {
  /** The highest reported head of each run. */
  readonly heads: ReadonlyMap<string, number>;
  readonly cursor: FeedCursor;
}

/** Reads from a cursor until it has caught up. */
export async function readOn(feed: ChangeFeed, from: FeedCursor, limit = 1000): Promise<FeedReading> {
  const heads = new Map<string, number>();
  let cursor = from;
  for (let pages = 0; pages < 10_000; pages++) {
    const page = await feed.readChanges(cursor, { limit });
    cursor = page.cursor;
    for (const { runId, headSeq } of page.changes) heads.set(runId, Math.max(headSeq, heads.get(runId) ?? 0));
    if (page.caughtUp) return { heads, cursor };
  }
  throw new Error("The feed has not caught up after 10,000 pages.");
}

/** Opens a follower, reads everything and saves its position, so that it gets only later changes. */
export async function followFromHere(feed: ChangeFeed, follower: string): Promise<FeedCursor> {
  const { cursor } = await readOn(feed, await feed.openFollower(follower));
  const saved = await feed.saveCursor(cursor);
  if (saved === null) throw new Error(`Another process moves ${follower}.`);
  return saved;
}
