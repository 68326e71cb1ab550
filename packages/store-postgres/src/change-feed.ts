/**
 * Reports to followers that runs changed, although commits become visible out of order (F8).
 *
 * Ids are drawn in order and committed in any order, so a page may have holes. A hole belongs to a transaction that is
 * still open or was rolled back, and a reader cannot know which. The cursor keeps holes and reads them again, while
 * reading continues. A hole is dropped once the transaction that drew it must have finished. Each id was drawn by a
 * transaction that already had its xid, because it had updated a head. So an xid drawn *now* is above all those xids.
 * Once every xid up to that one has finished, a hole that is still invisible stays invisible.
 * (The snapshot's xmax is no such bound: it is one above the highest *finished* xid, and an open transaction with a
 * later xid may have drawn the earlier id.)
 *
 * After a failover to a replica that lacks the last transactions, the sequence draws ids again that a cursor has passed.
 * A cursor is then above the end of the feed, or the row that it read last is gone or has another xmin. That row is
 * pruned only after the follower has saved a cursor at or above it.
 */
import type { FeedCursor, FeedPage, RunChange } from "@runledger/contracts";
import { numberArray } from "./arrays.js";
import { firstOf, type Database, type Row, type Statement } from "./client.js";
import { holesIn, type Hole } from "./feed-holes.js";

interface Position {
  readonly lastId: number;
  readonly holes: readonly Hole[];
  /** The xmin of the row `lastId`. `null` if the row was pruned, or if there is none yet. */
  readonly mark: string | null;
}

export const feedEnd = "(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM runledger.change_feed_id_seq)";

/** A saved cursor above the end of the feed is worthless: the follower starts again as a new one. */
const open: Statement = {
  name: "feed_open",
  text: `
INSERT INTO runledger.feed_followers AS f (follower, version, last_id) VALUES ($1, 1, 0)
ON CONFLICT (follower) DO UPDATE SET (version, last_id, missing) = (
  SELECT CASE WHEN is_lost THEN 1 ELSE f.version END, CASE WHEN is_lost THEN 0 ELSE f.last_id END,
    CASE WHEN is_lost THEN '[]' ELSE f.missing END
  FROM (SELECT f.last_id > ${feedEnd} AS is_lost) AS saved
)
RETURNING version, last_id, missing, (SELECT c.xmin::text FROM runledger.change_feed c WHERE c.id = f.last_id)`,
};

/** One statement, so one snapshot: rows that it does not return were not visible when its xmin was taken. */
const read: Statement = {
  name: "feed_read",
  text: `
SELECT pg_snapshot_xmin(pg_current_snapshot())::text, clock_timestamp()::timestamptz(3), always.is_reset,
  f.id, f.run_ids, f.head_seqs, f.mark
FROM (
  SELECT $1 > ${feedEnd} OR CASE
    WHEN $5::text IS NULL THEN false
    WHEN at_cursor.xmin IS NULL THEN
      NOT EXISTS (SELECT FROM runledger.feed_followers WHERE follower = $6 AND last_id >= $1)
    ELSE at_cursor.xmin::text <> $5
  END AS is_reset
  FROM (SELECT 1) AS one LEFT JOIN runledger.change_feed at_cursor ON at_cursor.id = $1
) AS always
LEFT JOIN (
  (SELECT id, run_ids, head_seqs, xmin::text AS mark FROM runledger.change_feed WHERE id > $1 ORDER BY id LIMIT $2)
  UNION ALL
  SELECT c.id, c.run_ids, c.head_seqs, c.xmin::text
  FROM unnest($3::bigint[], $4::bigint[]) AS hole (first, last)
  JOIN runledger.change_feed c ON c.id BETWEEN hole.first AND hole.last
) f ON true
ORDER BY f.id`,
};

const drawXid: Statement = { name: "feed_xid", text: "SELECT pg_current_xact_id()::text" };

const save: Statement = {
  name: "feed_save",
  text: `
UPDATE runledger.feed_followers
SET version = version + 1, last_id = $3, missing = $4, updated_at = clock_timestamp()
WHERE follower = $1 AND version = $2 RETURNING version`,
};

const remove: Statement = { name: "feed_remove", text: "DELETE FROM runledger.feed_followers WHERE follower = $1" };

const find: Statement = {
  name: "feed_find",
  text: `
SELECT f.version, f.last_id, f.missing, (SELECT c.xmin::text FROM runledger.change_feed c WHERE c.id = f.last_id)
FROM runledger.feed_followers f WHERE f.follower = $1`,
};

type Saved = [version: number, lastId: number, holes: readonly Hole[], mark: string | null];

export async function openFollower(db: Database, follower: string): Promise<FeedCursor> {
  return savedCursor(follower, firstOf(await db.write(open, [follower])));
}

export async function findFollower(db: Database, follower: string): Promise<FeedCursor> {
  const [row = [0, 0, [], null]] = await db.read(find, [follower]);
  return savedCursor(follower, row);
}

function savedCursor(follower: string, row: Row): FeedCursor {
  const [version, lastId, holes, mark] = row as unknown as Saved;
  return toCursor(follower, version, { lastId, holes, mark });
}

export async function readChanges(db: Database, cursor: FeedCursor, limit: number): Promise<FeedPage> {
  const { lastId, holes, mark } = cursor.position as unknown as Position;
  const ends = [numberArray(holes.map((hole) => hole.from)), numberArray(holes.map((hole) => hole.to))];
  const rows = await db.read(read, [lastId, limit, ...ends, mark, cursor.follower]);
  const [xmin, now, isReset] = firstOf(rows) as [string, string, boolean];
  if (isReset) return { changes: [], cursor, caughtUp: true, now, isReset };
  const found = rows.filter(([, , , id]) => id !== null);
  const seen = found.map(([, , , id]) => id as number);
  const newest = Math.max(lastId, ...seen);
  const stillOpen = holes.filter((hole) => Number(xmin) <= hole.xid).flatMap((hole) => holesIn(hole, seen));
  const fresh = holesIn({ from: lastId + 1, to: newest }, seen);
  const labeled = fresh.length === 0 ? [] : await label(db, fresh);
  const last = newest === lastId ? mark : (found.at(-1)![6] as string);
  const position: Position = { lastId: newest, holes: [...stillOpen, ...labeled], mark: last };
  return {
    changes: found.flatMap(([, , , , runIds, heads]) => changes(runIds, heads)),
    cursor: toCursor(cursor.follower, cursor.version, position),
    caughtUp: seen.filter((id) => id > lastId).length < limit,
    now,
  };
}

export async function saveCursor(db: Database, cursor: FeedCursor): Promise<FeedCursor | null> {
  const { lastId, holes } = cursor.position as unknown as Position;
  const [row] = await db.write(save, [cursor.follower, cursor.version, lastId, JSON.stringify(holes)]);
  return row === undefined ? null : { ...cursor, version: row[0] as number };
}

export async function removeFollower(db: Database, follower: string): Promise<void> {
  await db.write(remove, [follower]);
}

/**
 * Draws an xid after the page was read. It is above the xids of all transactions that drew ids below the page's newest.
 */
async function label(db: Database, ranges: readonly { from: number; to: number }[]): Promise<Hole[]> {
  const xid = Number(firstOf(await db.write(drawXid))[0]);
  return ranges.map(({ from, to }) => ({ from, to, xid }));
}

function changes(runIds: unknown, heads: unknown): RunChange[] {
  const seqs = heads as readonly (string | number)[];
  return (runIds as readonly string[]).map((runId, index) => ({ runId, headSeq: Number(seqs[index]) }));
}

function toCursor(follower: string, version: number, { lastId, holes, mark }: Position): FeedCursor {
  const ranges = holes.map(({ from, to, xid }) => ({ from, to, xid }));
  return { follower, version, position: { lastId, holes: ranges, mark } };
}
