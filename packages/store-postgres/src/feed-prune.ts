/** Keeps the change feed short. */
import { feedEnd } from "./change-feed.js";
import { firstOf, type Database, type Statement } from "./client.js";

/**
 * `passed`: the id that every follower has passed; all ids if there is no follower, because a new one enumerates the heads.
 * `holes`: the holes of all followers, merged, so that looking up an id costs the logarithm of their number.
 */
export const followedIds = `
passed AS MATERIALIZED (
  SELECT coalesce(min(last_id), 9223372036854775807) AS id FROM runledger.feed_followers
),
holes AS MATERIALIZED (
  SELECT coalesce(range_agg(int8range(hole."from", hole."to", '[]')), '{}') AS ids
  FROM runledger.feed_followers f, jsonb_to_recordset(f.missing) AS hole ("from" bigint, "to" bigint)
)`;

const prune: Statement = {
  name: "feed_prune",
  text: `
WITH ${followedIds},
gone AS (
  DELETE FROM runledger.change_feed WHERE id IN (
    SELECT c.id FROM runledger.change_feed c, passed, holes
    WHERE c.id <= passed.id AND NOT c.id <@ holes.ids ORDER BY c.id LIMIT $1
  )
  RETURNING 1
)
SELECT count(*) FROM gone`,
};

const PAGE = 10_000;
const MAX_PAGES = 10;

export async function pruneChanges(db: Database): Promise<number> {
  let pruned = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const gone = firstOf(await db.write(prune, [PAGE]))[0] as number;
    pruned += gone;
    if (gone < PAGE) break;
  }
  return pruned;
}

/**
 * A follower that is this many changes behind has nothing left to save: listing the runs that are behind costs less than
 * reading the changes. It is removed if it also has been silent for an hour and no member of its group is alive.
 */
const bound: Statement = {
  name: "feed_bound",
  text: `
WITH ${followedIds},
abandoned AS (
  DELETE FROM runledger.feed_followers f
  WHERE f.last_id < ${feedEnd} - $1::bigint AND f.updated_at < clock_timestamp() - interval '1 hour' AND NOT EXISTS (
    SELECT FROM runledger.feed_members m
    WHERE m.group_name = split_part(f.follower, '/', 1) AND m.expires_at > clock_timestamp()
  )
  RETURNING f.follower
),
kept AS MATERIALIZED (
  SELECT least(${feedEnd} - $1::bigint, (
    SELECT min(last_id) FROM runledger.feed_followers WHERE follower NOT IN (SELECT follower FROM abandoned)
  )) AS id
)
DELETE FROM runledger.change_feed WHERE id IN (
  SELECT c.id FROM runledger.change_feed c, kept, holes
  WHERE c.id <= kept.id AND NOT c.id <@ holes.ids ORDER BY c.id LIMIT $2
)`,
};

const MAX_CHANGES = 250_000;
const BATCHES = 5000;
const DELETED = 20_000;

/** @param most Changes that are kept for followers that may be gone. */
export async function boundFeed(db: Database, most = MAX_CHANGES): Promise<void> {
  await db.write(bound, [most, DELETED]);
}

/**
 * Bounds the feed after every few thousand batches of appends. Where no projector runs, nothing else deletes changes. The
 * first time is random, so that processes that append little take their turn.
 */
export function boundRegularly<A extends readonly unknown[], T>(
  db: Database,
  send: (...batch: A) => T,
): (...batch: A) => T {
  let left = Math.ceil(Math.random() * BATCHES);
  return (...batch) => {
    if (--left === 0) {
      left = BATCHES;
      boundFeed(db).catch(() => {}); // the next turn deletes more
    }
    return send(...batch);
  };
}
