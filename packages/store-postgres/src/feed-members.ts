/** Processes that share the work of a follower. The store's clock decides which of them are alive. */
import type { Database, Statement } from "./client.js";

/** A statement does not see its own writes, so the calling member is added. */
const attending: Statement = {
  name: "feed_attend",
  text: `
WITH alive AS (
  INSERT INTO runledger.feed_members (group_name, member, expires_at)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (group_name, member) DO UPDATE SET expires_at = EXCLUDED.expires_at
  RETURNING member
),
gone AS (
  DELETE FROM runledger.feed_members WHERE group_name = $1 AND member <> $2 AND expires_at < clock_timestamp() - interval '1 hour'
)
SELECT member FROM alive
UNION SELECT member FROM runledger.feed_members WHERE group_name = $1 AND expires_at > clock_timestamp()
ORDER BY 1`,
};

const leaving: Statement = {
  name: "feed_leave",
  text: "DELETE FROM runledger.feed_members WHERE group_name = $1 AND member = $2",
};

export async function attend(
  db: Database,
  { group, member, ttlMs }: { readonly group: string; readonly member: string; readonly ttlMs: number },
): Promise<string[]> {
  return (await db.write(attending, [group, member, ttlMs])).map(([name]) => name as string);
}

export async function leave(
  db: Database,
  { group, member }: { readonly group: string; readonly member: string },
): Promise<void> {
  await db.write(leaving, [group, member]);
}
