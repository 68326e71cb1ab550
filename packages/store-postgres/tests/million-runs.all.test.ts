// @module-tag O-11
/** Every query of the run index uses a database index and reads a bounded number of rows. */
import { Client, escapeLiteral } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunFilter } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { bars, counts } from "../src/run-counts.js";
import { listStatement } from "../src/run-index.js";
import type { FreshDatabase } from "@runledger/test-support/fresh-database";
import { millionRuns } from "@runledger/test-support/million-runs";

/** The rows that a page may read: twice its scan limit, plus the rows it returns. */
const MOST_ROWS = 2 * 2000 + 200;

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeAll(async () => {
  database = await millionRuns();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
}, 900_000);
afterAll(async () => {
  await sql.end();
  await store.close();
  await database.drop();
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

function nodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)];
}

/** Plans the statement as prepared, for these values and generically. */
async function explain(
  text: string,
  values: readonly (string | null)[],
  mode: "custom" | "generic",
): Promise<PlanNode[]> {
  const literals = values.map((value) => (value === null ? "NULL" : escapeLiteral(value)));
  await sql.query(`SET plan_cache_mode = force_${mode}_plan; DEALLOCATE ALL`);
  await sql.query(`PREPARE asked AS ${text}`);
  const { rows } = await sql.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked (${literals.join(", ")})`,
  );
  return nodes(rows[0]!["QUERY PLAN"][0].Plan);
}

async function isServed(text: string, values: readonly (string | null)[], most: number): Promise<void> {
  for (const mode of ["custom", "generic"] as const) {
    const plan = await explain(text, values, mode);
    const scans = plan.filter((node) => node["Relation Name"] !== undefined);
    expect(scans.map((node) => node["Node Type"]).filter((type) => !/Index (Only )?Scan|Bitmap/.test(type))).toEqual(
      [],
    );
    const seen = scans.map(
      (node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
    );
    expect(Math.max(...seen), `${mode}: ${seen.join()}`).toBeLessThanOrEqual(most);
  }
}

const tenantId = "default";
const day = (n: number): string => new Date(Date.now() - n * 86_400_000).toISOString();

const filters: Record<string, Omit<RunFilter, "tenantId">> = {
  everything: {},
  "a status that most have": { status: ["COMPLETED"] },
  "a status that few have": { status: ["PENDING"] },
  "a status that none has": { status: ["PAUSED"] },
  "several statuses": { status: ["FAILED", "RUNNING", "CANCELLED"] },
  "a workflow": { planId: "workflow-3" },
  "a workflow that is not there": { planId: "workflow-none" },
  "a version": { planId: "workflow-3", planVersion: "1.0.0" },
  "a version of any workflow": { planVersion: "1.0.0" },
  "a version that is not there": { planVersion: "9.9.9" },
  "a workflow's failures": { planId: "workflow-5", status: ["FAILED"] },
  "a workflow's failures and cancellations": { planId: "workflow-5", status: ["FAILED", "CANCELLED"] },
  "a project": { projectId: "billing" },
  "an environment": { environmentId: "dev" },
  "a project and an environment": { projectId: "billing", environmentId: "dev" },
  "a label that many have": { labels: { team: "risk" } },
  "a label that few have": { labels: { ticket: "T-500" } },
  "two labels": { labels: { team: "core", ticket: "T-500" } },
  "a label and a status": { labels: { team: "risk" }, status: ["FAILED"] },
  "a month": { createdFrom: day(60), createdTo: day(30) },
  "an error": { errorText: "connection refused" },
  "an error that never was": { errorText: "no such words" },
  "a workflow's error": { errorText: "price", planId: "workflow-5" },
  "a parent": { parentRunId: "run-0000" },
  "a schedule": { scheduleId: "schedule-6" },
  "a schedule's failures": { scheduleId: "schedule-6", status: ["FAILED"] },
  "all at once": {
    status: ["FAILED", "COMPLETED"],
    planId: "workflow-5",
    planVersion: "1.2.0",
    projectId: "billing",
    environmentId: "prod",
    labels: { team: "core" },
    createdFrom: day(300),
    createdTo: day(1),
  },
};

test.each(Object.keys(filters))("a page of a million runs by %s walks an index and reads few rows", async (name) => {
  const filter: RunFilter = { tenantId, ...filters[name] };
  const first = listStatement({ filter, after: null, limit: 50 })!;
  await isServed(first.statement.text, first.values, MOST_ROWS * (filter.status?.length ?? 1));
  const middle = { createdAt: day(170), runId: "run-5" };
  const later = listStatement({ filter, after: middle, limit: 50 })!;
  await isServed(later.statement.text, later.values, MOST_ROWS * (filter.status?.length ?? 1));
});

test("a tenant pages through all of its own runs by any filter and sees no others", async () => {
  let seen = 0;
  for (let cursor: string | undefined; ;) {
    const page = await store.index.listRuns({
      tenantId: "acme",
      status: ["FAILED"],
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const run of page.runs) expect(run.tenantId).toBe("acme");
    seen += page.runs.length;
    if (page.cursor === null) break;
    cursor = page.cursor;
  }
  expect(seen).toBe((await store.index.countRuns({ tenantId: "acme" })).FAILED);
  expect(seen).toBeGreaterThan(1000);
});

test("counts and histograms read counters, not runs", async () => {
  const kinds = 20 * 2 * 3 * 7; // workflows, projects, environments, statuses
  const dimensions = [tenantId, null, null, null];
  await isServed(counts.text, dimensions, kinds);
  await isServed(counts.text, [tenantId, "workflow-3", null, null], kinds);
  await isServed(bars.text, [...dimensions, "hour", day(2), day(1)], 24 * kinds);
  await isServed(bars.text, [...dimensions, "day", day(60), day(0)], 62 * kinds);
  const total = Object.values(await store.index.countRuns({ tenantId })).reduce((sum, n) => sum + n, 0);
  expect(total).toBe(900_000);
  expect(await store.derived.wrongCounts()).toBe(0);
});
