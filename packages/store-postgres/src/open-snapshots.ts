/** Finds transactions that keep PostgreSQL from removing old row versions, which every claim must then pass (Q3). */
import { firstOf, type Database, type Statement } from "./client.js";

const oldest: Statement = {
  name: "oldest_snapshot",
  text: `
SELECT (extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000)::double precision
FROM pg_stat_activity
WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`,
};

export async function oldestSnapshotMs(db: Database): Promise<number | null> {
  const [age] = firstOf(await db.read(oldest, []));
  return age as number | null;
}
