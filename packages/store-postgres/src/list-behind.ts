import { firstOf, type Database, type Statement } from "./client.js";

/** Compares a bounded number of runs, so that the statement stays short in a ledger of any size. */
const behind: Statement = {
  name: "runs_behind",
  text: `
WITH page AS MATERIALIZED (
  SELECT run_id, head_seq FROM runledger.run_heads WHERE run_id > $1 ORDER BY run_id LIMIT $2
)
SELECT (SELECT count(*) FROM page), (SELECT run_id FROM page ORDER BY run_id DESC LIMIT 1), b.run_id
FROM (SELECT 1) AS always LEFT JOIN (
  SELECT page.run_id FROM page LEFT JOIN runledger.run_snapshots s ON s.run_id = page.run_id
  WHERE page.head_seq > coalesce(s.last_event_seq, 0)
) b ON true ORDER BY b.run_id`,
};

export async function listBehind(
  db: Database,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): Promise<{ readonly runIds: string[]; readonly next: string | null }> {
  const rows = await db.read(behind, [afterRunId, limit]);
  const [compared, last] = firstOf(rows) as [number, string | null];
  const runIds = rows.flatMap(([, , runId]) => (runId === null ? [] : [runId as string]));
  return { runIds, next: compared < limit ? null : last };
}
