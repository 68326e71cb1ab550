/**
 * Telling followers that runs changed, although commits become visible out of order (F8).
 *
 * Ids are drawn in order and committed in any order, so a page may have holes. A hole is a transaction that is still
 * open, or one that was rolled back; nothing tells which. The cursor keeps holes and asks for them again, and reading
 * goes on meanwhile. A hole is given up when whoever drew it must have ended: each was drawn by a transaction that
 * already had its xid (it had updated a head), so an xid drawn *now* is above all of theirs, and once every xid up to
 * that one has ended, a hole that is still not visible never will be.
 * (The snapshot's xmax would not do as the bound: it is one above the highest *ended* xid, and an open transaction with
 * a later xid may have drawn the earlier id.)
 */
import type { FeedCursor, FeedPage, RunChange } from "@runledger/contracts";
import { numberArray } from "./arrays.js";
import { firstOf, type Database, type Statement } from "./client.js";
import { holesIn, type Hole } from "./feed-holes.js";

interface Position {
  readonly lastId: number;
  readonly holes: readonly Hole[];
}

const open: Statement = {
  name: "feed_open",
  text: `
INSERT INTO runledger.feed_followers AS f (follower, version, last_id) VALUES ($1, 1, 0)
ON CONFLICT (follower) DO UPDATE SET follower = f.follower
RETURNING version, last_id, missing`,
};

/** One statement, hence one snapshot: what it does not show was not visible when its xmin was taken. */
const read: Statement = {
  name: "feed_read",
  text: `
SELECT pg_snapshot_xmin(pg_current_snapshot())::text, clock_timestamp()::timestamptz(3), f.id, f.run_ids, f.head_seqs
FROM (SELECT 1) AS always
LEFT JOIN (
  (SELECT id, run_ids, head_seqs FROM runledger.change_feed WHERE id > $1 ORDER BY id LIMIT $2)
  UNION ALL
  SELECT c.id, c.run_ids, c.head_seqs
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

/** Without followers nobody waits for anything: whoever comes later enumerates the heads. */
const prune: Statement = {
  name: "feed_prune",
  text: `
WITH gone AS (
  DELETE FROM runledger.change_feed c
  WHERE c.id <= (SELECT coalesce(min(last_id), 9223372036854775807) FROM runledger.feed_followers)
    AND NOT EXISTS (
      SELECT FROM runledger.feed_followers f, jsonb_to_recordset(f.missing) AS hole ("from" bigint, "to" bigint)
      WHERE c.id BETWEEN hole."from" AND hole."to"
    )
  RETURNING 1
)
SELECT count(*) FROM gone`,
};

export async function openFollower(db: Database, follower: string): Promise<FeedCursor> {
  const [version, lastId, holes] = firstOf(await db.write(open, [follower])) as [number, number, readonly Hole[]];
  return toCursor(follower, version, { lastId, holes });
}

export async function readChanges(db: Database, cursor: FeedCursor, limit: number): Promise<FeedPage> {
  const { lastId, holes } = cursor.position as unknown as Position;
  const ends = [numberArray(holes.map((hole) => hole.from)), numberArray(holes.map((hole) => hole.to))];
  const rows = await db.read(read, [lastId, limit, ...ends]);
  const [xmin, now] = firstOf(rows) as [string, string];
  const seen = rows.filter(([, , id]) => id !== null).map(([, , id]) => id as number);
  const newest = Math.max(lastId, ...seen);
  const stillOpen = holes.filter((hole) => Number(xmin) <= hole.xid).flatMap((hole) => holesIn(hole, seen));
  const fresh = holesIn({ from: lastId + 1, to: newest }, seen);
  const labelled = fresh.length === 0 ? [] : await label(db, fresh);
  const position: Position = { lastId: newest, holes: [...stillOpen, ...labelled] };
  return {
    changes: rows.flatMap(([, , id, runIds, heads]) => (id === null ? [] : changes(runIds, heads))),
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

export async function pruneChanges(db: Database): Promise<number> {
  return firstOf(await db.write(prune))[0] as number;
}

/** Drawn after the page was read: above the xid of everyone who drew an id below the page's newest. */
async function label(db: Database, ranges: readonly { from: number; to: number }[]): Promise<Hole[]> {
  const xid = Number(firstOf(await db.write(drawXid))[0]);
  return ranges.map(({ from, to }) => ({ from, to, xid }));
}

function changes(runIds: unknown, heads: unknown): RunChange[] {
  const seqs = heads as readonly (string | number)[];
  return (runIds as readonly string[]).map((runId, index) => ({ runId, headSeq: Number(seqs[index]) }));
}

function toCursor(follower: string, version: number, { lastId, holes }: Position): FeedCursor {
  return { follower, version, position: { lastId, holes: holes.map(({ from, to, xid }) => ({ from, to, xid })) } };
}
