// @module-tag E-18
import { Client } from "pg";
import { expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";
import { unserved } from "./unserved-plans.js";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}

function scansOf(node: PlanNode): PlanNode[] {
  const own = node["Relation Name"] === "run_queue" ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/** 20,000 runs of one version, a few runs of ten other served versions, and runs of five versions without a worker. */
const FILL = `
INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id,
  project_id)
SELECT 'run-' || n, 'nightly', CASE WHEN n < 20000 THEN '1' ELSE (n % 15 + 2)::text END, 1, 0, 'infinity',
  'default', 'default'
FROM generate_series(0, 20074) AS n`;

test("finding runs without a worker does not read runs that have one", async () => {
  const database = await freshDatabase();
  const store = await PostgresStore.open({ url: database.url });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const plans = Array.from({ length: 11 }, (_, index) => ({ planId: "nightly", planVersion: String(index + 1) }));
  await store.leases.heartbeat({ workerId: "w1", ttlMs: 60_000, plans, logFormat: 1 });
  await client.query(FILL);
  for (const statistics of ["SELECT 1", "ANALYZE runledger.run_queue"]) {
    await client.query(statistics);
    expect((await store.plans.listUnserved()).map(({ planVersion, openRuns }) => [planVersion, openRuns])).toEqual(
      ["12", "13", "14", "15", "16"].map((version) => [version, 5]),
    );
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${unserved.text}`,
    );
    const scans = scansOf(rows[0]!["QUERY PLAN"][0].Plan);
    expect(scans.map((scan) => scan["Node Type"])).not.toContain("Seq Scan");
    const read = scans.reduce((sum, scan) => sum + scan["Actual Rows"] * scan["Actual Loops"], 0);
    expect(read).toBeLessThan(100);
  }
  await client.end();
  await store.close();
  await database.drop();
});
