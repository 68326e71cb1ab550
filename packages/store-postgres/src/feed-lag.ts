/** Measures how far projections are behind the log. */
import type { ProjectionLag } from "@runledger/contracts";
import { firstOf, type Database, type Statement } from "./client.js";

/** Changes are compared in the order of the feed, up to the first run whose head is above its projection. */
const measure: Statement = {
  name: "feed_lag",
  text: `
WITH passed AS MATERIALIZED (
  SELECT coalesce(min(last_id), 0) AS id FROM runledger.feed_followers WHERE starts_with(follower, $1 || '/')
),
oldest AS MATERIALIZED (
  SELECT c.id, e.persisted_at FROM passed
  CROSS JOIN LATERAL (SELECT * FROM runledger.change_feed f WHERE f.id > passed.id ORDER BY f.id LIMIT 1) c
  LEFT JOIN runledger.run_events e ON e.run_id = c.run_ids[1] AND e.run_seq = c.head_seqs[1]
)
SELECT clock_timestamp()::timestamptz(3), (
  SELECT behind.persisted_at FROM oldest
  JOIN LATERAL (SELECT * FROM runledger.change_feed f WHERE f.id >= oldest.id ORDER BY f.id) c ON true
  JOIN LATERAL (
    SELECT coalesce(e.persisted_at, h.persisted_at) AS persisted_at
    FROM unnest(c.run_ids, c.head_seqs) AS changed (run_id, head_seq)
    JOIN runledger.run_heads h ON h.run_id = changed.run_id
    LEFT JOIN runledger.run_snapshots s ON s.run_id = changed.run_id
    LEFT JOIN runledger.run_events e ON e.run_id = changed.run_id AND e.run_seq = coalesce(s.last_event_seq, 0) + 1
    WHERE changed.head_seq > coalesce(s.last_event_seq, 0) AND NOT coalesce(s.header @> '{"stale": true}', false)
    LIMIT 1
  ) behind ON true
  WHERE oldest.persisted_at IS NULL OR oldest.persisted_at <= clock_timestamp() - $2 * interval '1 millisecond'
  LIMIT 1
)`,
};

export async function measureLag(db: Database, group: string, ignoreMs: number): Promise<ProjectionLag> {
  const [now, oldestAt] = firstOf(await db.read(measure, [group, ignoreMs]));
  return { now: now as string, oldestAt: oldestAt as string | null };
}
