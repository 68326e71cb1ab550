// @module-tag B-30
/** Servers that execute policies, are killed at any point, and take over from each other (A5). */
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent, omitUndefined } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";

const RUNS = 150;
const STEPS = 40;
const DAY = 86_400_000;

async function addRun(store: PostgresStore, runId: string, planId = "orders"): Promise<void> {
  const emittedAt = new Date(Date.now() - 10 * DAY).toISOString();
  const event = (eventType: string, stepId?: string) =>
    newEvent({ runId, eventType, planId, planVersion: "1", emittedAt, ...omitUndefined({ stepId }) });
  const steps = Array.from({ length: STEPS }, (_, n) => event("StepStarted", `s${n}`));
  await store.appendEvents([event("RunStarted"), ...steps, event("RunCompleted")]);
  const artifact = { uri: `store://${runId}`, runId, kind: "log" };
  const whole = { sha256: "0".repeat(64), sizeBytes: 1000 };
  await store.artifacts.writeChunk({ artifact, chunk: 1, bytes: Buffer.alloc(1000), whole });
}

test("servers that are killed again and again delete every due run, and nothing else", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url });
  const due = Array.from({ length: RUNS }, (_, n) => `due-${n}`);
  await Promise.all(due.map((runId) => addRun(store, runId)));
  await addRun(store, "kept", "kept");
  await store.forTenant("other").appendEvent(newEvent({ runId: "open", eventType: "RunStarted", planVersion: "1" }));
  const where = { cwd: freshProject({}), env: { RUNLEDGER_STORE: url } };
  const serve = (...roles: readonly string[]): Running =>
    startRunledger(where, "serve", "--roles", roles.join(), "--json");
  serve("projector");
  await until(async () => (await rows(url, "run_index", "status = 'COMPLETED'")) === RUNS + 1);
  const policy = ["--workflow", "orders", "--archive-after", "1d", "--delete-after", "2d"];
  expect((await runledger(where, "store", "retention", "set", ...policy)).code).toBe(0);
  const dry = await runledger(where, "store", "retention", "run", "--dry-run", "--json");
  expect(JSON.parse(dry.stdout)).toMatchObject({
    tenantId: "default",
    workflowId: "orders",
    toArchive: RUNS,
    toDelete: RUNS,
  });
  expect(await rows(url, "run_events")).toBe((RUNS + 1) * (STEPS + 2) + 1);

  let killed = 0;
  await until(async () => {
    const servers = [serve("retention"), serve("retention")];
    const before = await rows(url, "run_heads");
    await until(async () => (await rows(url, "run_heads")) < before || before === 2);
    await sleep(Math.random() * 1000);
    for (const server of servers) server.kill("SIGKILL");
    for (const server of servers) await server.ended;
    await query(url, "DELETE FROM runledger.feed_members WHERE group_name = 'retention'"); // their time is over
    return ++killed >= 2 || before === 2;
  });
  const last = serve("retention");
  await last.says(/"roles"/); // earlier servers may have deleted everything, and a signal would meet a process without handlers
  await until(async () => (await rows(url, "run_events_archive")) === 0 && (await rows(url, "run_heads")) === 2);
  await until(async () => (await rows(url, "deleted_runs", "swept_at IS NULL")) === 0);
  last.kill("SIGTERM");
  expect(await last.ended).toEqual({ code: 0, signal: null });
  expect(await rows(url, "artifacts")).toBe(1);
  expect(await rows(url, "artifact_chunks")).toBe(1);
  expect(await rows(url, "run_snapshots")).toBe(2);
  expect(await rows(url, "run_events")).toBe(STEPS + 3);
  expect(await rows(url, "deleted_runs")).toBe(RUNS);
  expect(await store.derived.wrongCounts()).toBe(0);
});

async function rows(url: string, table: string, where = "true"): Promise<number> {
  const [row] = await query(url, `SELECT count(*)::int AS n FROM runledger.${table} WHERE ${where}`);
  return (row as { n: number }).n;
}

test("a pass reads an index, and not the runs that are kept", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url });
  await query(
    url,
    `INSERT INTO runledger.run_index (run_id, tenant_id, created_at, status, plan_id, plan_version, project_id, environment_id,
       labels, summary)
     SELECT 'kept-' || n, 'many', now(), 'COMPLETED', 'kept-' || n % 3, '1', 'p', 'e', '{}',
       jsonb_build_object('completedAt', '2020-01-01T00:00:00.000Z')
     FROM generate_series(1, 50000) AS n`,
  );
  await query(url, "ANALYZE runledger.run_index");
  const read = async (): Promise<number> => {
    const [row] = await query(
      url,
      "SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_all_tables WHERE relname = 'run_index'",
    );
    return (row as { n: number }).n;
  };
  const before = await settled(read);
  expect(await store.retention.listGroups()).toHaveLength(3);
  const group = { tenantId: "many", workflowId: "kept-1", olderThanMs: 0 };
  expect(await store.retention.listDue({ ...group, archived: true })).toEqual([]);
  expect(await store.retention.listDue({ ...group, archived: false })).toHaveLength(100);
  expect((await settled(read)) - before).toBeLessThan(1000);
});

/** Statistics are reported with a delay. */
async function settled(read: () => Promise<number>): Promise<number> {
  let last = -1;
  await until(async () => {
    await sleep(1500);
    const now = await read();
    return now === last || ((last = now), false);
  });
  return last;
}
