/** Reads how many runs each status has, from counters that every change of an index row updates (index-rows.ts). */
import type { HistogramBar, HistogramBucket, RunCountFilter, RunCounts, RunStatus } from "@runledger/contracts";
import { noRuns } from "@runledger/core/store";
import type { Database, Statement } from "./client.js";
import { textOrNull } from "./index-rows.js";

const dimensions = `($2::text IS NULL OR plan_id = $2) AND ($3::text IS NULL OR project_id = $3)
  AND ($4::text IS NULL OR environment_id = $4)`;

export const counts: Statement = {
  name: "runs_count",
  text: `
SELECT status, sum(runs)::bigint FROM runledger.run_counts
WHERE tenant_id = $1 AND level = 'all' AND bucket = '-infinity' AND ${dimensions} GROUP BY status`,
};

export const bars: Statement = {
  name: "runs_histogram",
  text: `
SELECT bucket, status, sum(runs)::bigint FROM runledger.run_counts
WHERE tenant_id = $1 AND level = $5 AND bucket >= $6::timestamptz AND bucket < $7::timestamptz AND ${dimensions}
GROUP BY bucket, status HAVING sum(runs) > 0 ORDER BY bucket`,
};

export async function countRuns(db: Database, filter: RunCountFilter): Promise<RunCounts> {
  const rows = await db.read(counts, dimensionValues(filter));
  return { ...noRuns(), ...Object.fromEntries(rows.map(([status, runs]) => [status as string, runs as number])) };
}

export async function histogram(
  db: Database,
  params: {
    readonly filter: RunCountFilter;
    readonly from: string;
    readonly to: string;
    readonly bucket: HistogramBucket;
  },
): Promise<HistogramBar[]> {
  const { filter, bucket, from, to } = params;
  const rows = await db.read(bars, [...dimensionValues(filter), bucket, from, to]);
  const found = new Map<string, Record<RunStatus, number>>();
  for (const [at, status, runs] of rows as [string, RunStatus, number][]) {
    const counted = found.get(at) ?? noRuns();
    counted[status] = runs;
    found.set(at, counted);
  }
  return [...found].map(([at, counted]) => ({ at, counts: counted }));
}

function dimensionValues({ tenantId, planId, projectId, environmentId }: RunCountFilter): (string | null)[] {
  return [tenantId, ...[planId, projectId, environmentId].map(textOrNull)];
}
