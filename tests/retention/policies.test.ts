// @module-tag B-30
/** Policies that a pass executes on a ledger with real runs, on PostgreSQL (A5). */
import { newEvent } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type Ledger, type RetentionResult } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const child = workflow("part", { version: "1" }, (w) => w.step("work", () => "done"));
const report = workflow("report", { version: "1" }, (w) => {
  const written = w.step("write", async ({ artifact, log }) => {
    log("a line of the log");
    await artifact.write("table", "a,b\n1,2\n");
    return "written";
  });
  return w.step("check", { needs: { written } }, ({ needs }) => needs.written);
});
const parent = workflow("parent", { version: "1" }, (w) => w.child("part", child));

let database: FreshDatabase;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
  ledger.projector();
  await ledger.worker({ workflows: [child, report, parent] });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

async function finish(flow: typeof report | typeof parent, tenantId = "default", requestId?: string): Promise<string> {
  const run = await ledger.start(flow, { tenantId, ...(requestId !== undefined && { requestId }) });
  await run.result();
  return run.id;
}

/** Waits until the run is in the index, and claims that it finished some days ago. */
async function age(runId: string, days: number): Promise<void> {
  await until(async () => (await query(database.url, finishedSql(runId))).length === 1);
  const completedAt = new Date(Date.now() - days * 86_400_000).toISOString();
  await query(
    database.url,
    `UPDATE runledger.run_index SET summary = jsonb_set(summary, '{completedAt}', '"${completedAt}"') WHERE run_id = '${runId}'`,
  );
}

const finishedSql = (runId: string): string =>
  `SELECT 1 FROM runledger.run_index WHERE run_id = '${runId}' AND status = 'COMPLETED'`;

/** Every table with a column `run_id` in which the run has rows. */
async function tablesWith(runId: string): Promise<string[]> {
  const columns = await query(
    database.url,
    `SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'runledger' AND c.column_name = 'run_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { table_name: name } of columns as { table_name: string }[])
    if ((await query(database.url, `SELECT 1 FROM runledger.${name} WHERE run_id = '${runId}' LIMIT 1`)).length > 0)
      found.push(name);
  return found;
}

/** Repeats the pass until every follower has read the runs. */
async function pass(isDone: (result: RetentionResult) => boolean): Promise<RetentionResult> {
  const sum: RetentionResult = await ledger.retention.run();
  await until(async () => {
    if (isDone(sum)) return true;
    const next = await ledger.retention.run();
    sum.archived += next.archived;
    sum.deleted += next.deleted;
    sum.startKeys += next.startKeys;
    return isDone(sum);
  });
  return sum;
}

test("a run is archived, then deleted with everything that belongs to it", async () => {
  const runId = await finish(report, "acme", "once");
  const other = await finish(report, "other");
  await age(runId, 10);
  await ledger.retention.set({ tenantId: "acme", workflowId: "report", archiveAfter: "5d", deleteAfter: "20d" });
  onTestFinished(async () => void (await ledger.retention.remove({ tenantId: "acme", workflowId: "report" })));
  const due = { tenantId: "acme", workflowId: "report", toArchive: 1, toDelete: 0 };
  expect(await ledger.retention.report()).toEqual([expect.objectContaining(due)]);
  expect(await ledger.retention.report({ tenantId: "other" })).toEqual([]);

  expect(await pass(({ archived }) => archived === 1)).toMatchObject({ deleted: 0 });
  expect(await tablesWith(runId)).toEqual(
    expect.arrayContaining(["artifacts", "run_events_archive", "run_heads", "run_index", "run_snapshots", "run_steps"]),
  );
  await age(runId, 21);
  expect(await ledger.retention.report()).toEqual([expect.objectContaining({ toArchive: 0, toDelete: 1 })]);
  expect(await pass(({ deleted }) => deleted === 1)).toMatchObject({ deleted: 1 });
  expect(await tablesWith(runId)).toEqual(["deleted_runs", "run_starts"]);
  expect(
    await query(
      database.url,
      "SELECT count(*)::int AS n FROM runledger.artifact_chunks c LEFT JOIN runledger.artifacts a USING (artifact_id) WHERE a.artifact_id IS NULL",
    ),
  ).toEqual([{ n: 0 }]);
  expect(await query(database.url, "SELECT 1 FROM runledger.run_counts WHERE tenant_id = 'acme'")).toEqual([]);
  expect(await tablesWith(other)).toEqual(expect.arrayContaining(["run_events", "run_index"]));
  const verified = await runledger({ cwd: process.cwd() }, "store", "verify", "--store", database.url);
  expect(verified.code, verified.stdout).toBe(0);

  await expect(finish(report, "acme", "once")).rejects.toMatchObject({ code: "RUN_DELETED" });
  await ledger.retention.set({ kind: "startKeys", tenantId: "acme", deleteAfter: "0s" });
  onTestFinished(async () => void (await ledger.retention.remove({ kind: "startKeys", tenantId: "acme" })));
  expect(await pass(({ startKeys }) => startKeys === 1)).toMatchObject({ startKeys: 1 });
  expect(await tablesWith(runId)).toEqual([]);
  await finish(report, "acme", "once");
});

test("a child is kept as long as its parent, and an open run forever", async () => {
  const runId = await finish(parent);
  const children = (): Promise<{ run_id?: unknown }[]> =>
    query(database.url, `SELECT run_id FROM runledger.run_index WHERE plan_id = 'part'`);
  await until(async () => (await children()).length === 1); // the projector is a moment behind
  const childId = String((await children())[0]!.run_id);
  const open = newEvent({ runId: "open-run", eventType: "RunStarted", planId: "part", planVersion: "1" });
  await ledger.store.appendEvent(open);
  await age(runId, 10);
  await age(childId, 10);
  await ledger.retention.set({ workflowId: "part", deleteAfter: "1d" });
  expect(await pass(({ archived }) => archived === 1)).toMatchObject({ deleted: 0 });
  expect(await tablesWith(childId)).toContain("run_events_archive");
  await ledger.retention.set({ workflowId: "parent", deleteAfter: "1d" });
  expect(await pass(({ deleted }) => deleted === 2)).toMatchObject({ deleted: 2 });
  expect(await tablesWith(childId)).toEqual(["deleted_runs", "run_starts"]);
  expect(await tablesWith("open-run")).toContain("run_events");
  for (const workflowId of ["part", "parent"]) await ledger.retention.remove({ workflowId });
});

test("a deletion that was interrupted is finished by the next pass", async () => {
  const runId = await finish(report);
  await age(runId, 10);
  await until(async () => (await ledger.store.archive.archiveRun(runId)).archived);
  expect(await ledger.store.retention.deleteRun(runId)).toEqual({ runId, deleted: true });
  expect(await ledger.store.fetchHeads([runId])).toEqual([]);
  expect(await tablesWith(runId)).toEqual(["artifacts", "deleted_runs", "run_events_archive", "run_starts"]);
  await ledger.retention.run();
  expect(await tablesWith(runId)).toEqual(["deleted_runs", "run_starts"]);
});

test("the audit log and the feed have their own policies", async () => {
  const { audit, feed } = ledger.store;
  const entry = { tenantId: "acme", actor: "a", actorKind: "system", actorId: null, keyId: null, action: "x" } as const;
  const where = { target: "t", outcome: "allowed", code: null, requestId: "r", address: "here", count: 1 } as const;
  await audit.recordAudit([{ ...entry, ...where }]);
  await feed.openFollower("gone/0");
  await feed.openFollower("alive/0");
  await feed.attend({ group: "alive", member: "m", ttlMs: 600_000 });
  await query(database.url, "UPDATE runledger.audit_log SET at = at - interval '3 days'");
  const old =
    "UPDATE runledger.feed_followers SET updated_at = now() - interval '3 days' WHERE follower IN ('gone/0', 'alive/0')";
  await query(database.url, old);
  expect(await ledger.retention.run()).toMatchObject({ auditEntries: 0, followers: 0 });
  for (const kind of ["audit", "feed"] as const) await ledger.retention.set({ kind, deleteAfter: "2d" });
  expect(await ledger.retention.run()).toMatchObject({ auditEntries: 1, followers: 1 });
  for (const kind of ["audit", "feed"] as const) await ledger.retention.remove({ kind });
  const followers = await query(database.url, "SELECT follower FROM runledger.feed_followers");
  expect(followers.map(({ follower }) => follower as string)).toContain("alive/0");
  expect(followers).not.toContainEqual({ follower: "gone/0" });
});
