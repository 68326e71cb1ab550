// @module-tag E-22
/** Checkpoints as an operator meets them, on PostgreSQL: when they are saved, what they save, and what if one is bad. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { Checkpoint } from "@runledger/contracts";
import { fromCheckpoint } from "@runledger/core";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { query } from "@runledger/test-support/databases";
import { connect, workflow } from "../index.js";
import { collectMetrics } from "../telemetry/collect-metrics.js";
import type { Sample } from "../telemetry/metric-family.js";
import type { Metrics } from "../telemetry/metrics.js";

type Ledger = Awaited<ReturnType<typeof connect>>;
let database: FreshDatabase;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

const saved = (runId: string): Promise<Checkpoint | null> => ledger.store.checkpoints.loadCheckpoint(runId);

/** Once what it had done by then is in a checkpoint. */
async function parked(runId: string, stepId: string): Promise<Checkpoint> {
  for (;;) {
    const { steps, lastEventSeq } = await ledger.store.projectSnapshot(runId);
    const waits = steps.some((step) => step.stepId === stepId && step.status === "RUNNING");
    const checkpoint = waits ? await saved(runId) : null;
    if (checkpoint?.seq === lastEventSeq) return checkpoint;
    await sleep(10);
  }
}

async function spoil(change: string, runId: string): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`UPDATE runledger.checkpoints SET ${change} WHERE run_id = $1`, [runId]);
  await client.end();
}

async function sample(
  metrics: Metrics,
  name: string,
  labels: Record<string, string> = {},
): Promise<Sample | undefined> {
  const family = (await metrics.read()).find((each) => each.name === name);
  return family?.samples.find((each) => JSON.stringify(each.labels) === JSON.stringify(labels));
}

const wide = (version: string, items: number) =>
  workflow("wide", { version }, (w) => {
    const each = w.forEach("items", { items: () => Array.from({ length: items }, (_, i) => i) }, (inner) =>
      inner.step("one", ({ item }) => item),
    );
    const go = w.waitForSignal("go", { after: [each] });
    return w.step("last", { after: [go] }, () => "done");
  });

test("C2: one is saved whenever a batch crosses the interval, and when the run parks; resuming reads only what came later", async () => {
  const flow = wide("parks", 400);
  const [first, second] = [collectMetrics(), collectMetrics()];
  const worker = await ledger.worker({ workflows: [flow], metrics: first });
  const run = await ledger.start(flow);
  const checkpoint = await parked(run.id, "go");
  await worker.stop();
  const [head] = await ledger.store.fetchHeads([run.id]);
  expect(checkpoint.seq).toBe(head!.headSeq);
  expect((await sample(first, "runledger_checkpoints_total"))!.value).toBeGreaterThanOrEqual(5); // 800 events, at most 200 a turn
  expect((await sample(first, "runledger_checkpoint_bytes"))!.buckets!.at(-1)!.count).toBe(
    (await sample(first, "runledger_checkpoints_total"))!.value,
  );
  await run.signal("go" as never, {} as never);
  await ledger.worker({ workflows: [flow], metrics: second });
  expect(await run.result()).toBe("done");
  expect((await sample(second, "runledger_replayed_events_total", { from: "checkpoint" }))!.value).toBe(1); // the signal
  expect(await sample(second, "runledger_replay_seconds", { from: "beginning" })).toBeUndefined();
});

test("C2: ctx.checkpoint() saves one, labeled with the seq folded before its append", async () => {
  const flow = workflow("by-hand", { version: "1" }, (w) => {
    const first = w.step("first", ({ checkpoint }) => checkpoint());
    return w.step("second", { after: [first] }, () => "done");
  });
  const metrics = collectMetrics();
  await ledger.worker({ workflows: [flow], metrics });
  const run = await ledger.start(flow);
  expect(await run.result()).toBe("done");
  expect((await sample(metrics, "runledger_checkpoints_total"))!.value).toBe(1);
  const completed = (await ledger.store.fetchEvents(run.id)).find(({ eventType }) => eventType === "StepCompleted");
  expect((await saved(run.id))!.seq).toBe(completed!.runSeq - 1);
});

test.each([
  ["corrupt", "data = replace(data, 'RUNNING', 'PENDING')"],
  ["too new", "format = 99"],
])("C3: one that is %s is ignored with an alert, and the run resumes from its log", async (name, change) => {
  const flow = wide(name, 30);
  const worker = await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await parked(run.id, "go");
  await worker.stop();
  await spoil(change, run.id);
  await run.signal("go" as never, {} as never);
  const alerts: unknown[] = [];
  const metrics = collectMetrics();
  await ledger.worker({ workflows: [flow], metrics, onAlert: (alert) => alerts.push(alert) });
  expect(await run.result()).toBe("done");
  expect(alerts).toEqual([expect.objectContaining({ code: "CHECKPOINT_UNUSABLE", runId: run.id })]);
  expect((await sample(metrics, "runledger_replayed_events_total", { from: "beginning" }))!.value).toBeGreaterThan(60);
});

test(
  "C2, C3: the interval is an option, and a long run without a checkpoint raises an alert",
  { tags: ["R-10"] },
  async () => {
    const flow = wide("interval", 30);
    const alerts: unknown[] = [];
    const onAlert = (alert: unknown): unknown => alerts.push(alert);
    const first = collectMetrics();
    const worker = await ledger.worker({ workflows: [flow], metrics: first, checkpointInterval: 10, onAlert });
    const run = await ledger.start(flow);
    await parked(run.id, "go"); // after 66 events
    await worker.stop();
    expect((await sample(first, "runledger_checkpoints_total"))!.value).toBeGreaterThanOrEqual(3); // by default one: the run parks
    await query(database.url, `DELETE FROM runledger.checkpoints WHERE run_id = '${run.id}'`);
    await run.signal("go" as never, {} as never);
    await ledger.worker({ workflows: [flow], checkpointInterval: 10, onAlert });
    expect(await run.result()).toBe("done");
    expect(alerts).toEqual([expect.objectContaining({ code: "CHECKPOINT_MISSING", runId: run.id })]);
    for (const checkpointInterval of [0, 1.5, -1])
      await expect(ledger.worker({ workflows: [flow], checkpointInterval })).rejects.toThrow("at least 1");
  },
);

test("C3: a checkpoint above 100 KB raises one alert", async () => {
  const flow = workflow(
    "large",
    { version: "1", state: { schema: z.object({ blob: z.string() }), initial: { blob: "x".repeat(120_000) } } },
    (w) => {
      const first = w.step("first", ({ checkpoint }) => checkpoint());
      const second = w.step("second", { after: [first] }, ({ checkpoint }) => checkpoint());
      return w.step("third", { after: [second] }, () => "done");
    },
  );
  const alerts: unknown[] = [];
  await ledger.worker({ workflows: [flow], onAlert: (alert) => alerts.push(alert) });
  const run = await ledger.start(flow);
  expect(await run.result()).toBe("done");
  expect(alerts).toEqual([expect.objectContaining({ code: "CHECKPOINT_LARGE", runId: run.id })]);
});

test("C1: the passes of a repeat do not grow its checkpoint", { tags: ["R-07"] }, async () => {
  const flow = workflow("polls", { version: "1" }, (w) => {
    const poll = w.repeat(
      "poll",
      { max: 1000 },
      (inner) => inner.step("look", ({ iteration }) => iteration),
      ({ output }) => output === 399,
    );
    const go = w.waitForSignal("go", { after: [poll] });
    return w.step("last", { after: [go] }, () => "done");
  });
  const alerts: unknown[] = [];
  const worker = await ledger.worker({ workflows: [flow], onAlert: (alert) => void alerts.push(alert) });
  const run = await ledger.start(flow);
  const checkpoint = await parked(run.id, "go");
  expect(checkpoint.data.length).toBeLessThan(4000);
  expect(fromCheckpoint(checkpoint)!.steps.rows()).toHaveLength(802);
  await worker.stop();
  await run.signal("go" as never, {} as never);
  const other = await ledger.worker({ workflows: [flow], onAlert: (alert) => void alerts.push(alert) });
  expect(await run.result()).toBe("done");
  await other.stop();
  expect(alerts).toEqual([]);
});

test("C3: the alert about a large checkpoint names the part that is large", { tags: ["R-07"] }, async () => {
  const flow = workflow("steps-are-large", { version: "1" }, (w) => {
    const each = w.forEach("items", { items: () => Array.from({ length: 600 }, (_, i) => i) }, (inner) =>
      inner.when("taken", { if: ({ item }) => item >= 0 }, (then) => then.step("one", () => null)),
    );
    return w.waitForSignal("go", { after: [each] });
  });
  const alerts: { readonly code: string; readonly message: string }[] = [];
  const worker = await ledger.worker({ workflows: [flow], onAlert: (alert) => void alerts.push(alert) });
  const run = await ledger.start(flow);
  await parked(run.id, "go");
  await worker.stop();
  expect(alerts).toMatchObject([{ code: "CHECKPOINT_LARGE", runId: run.id }]);
  expect(alerts[0]!.message).toMatch(/because it lists \d+ steps: .* Move parts of the run into child runs\.$/);
});
