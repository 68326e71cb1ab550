/** Checkpoints as an operator meets them, on PostgreSQL: when they are saved, what they save, and what if one is bad. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { Checkpoint } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "../../../../tests/support/fresh-database.js";
import { connect, workflow } from "../index.js";
import { Metrics, type Sample } from "../metrics/metrics.js";

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

function sample(metrics: Metrics, name: string, labels: Record<string, string> = {}): Sample | undefined {
  const family = metrics.snapshot().find((each) => each.name === name);
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

test("[E-22] C2: one is saved whenever a batch crosses the interval, and when the run parks; resuming reads only what came later", async () => {
  const flow = wide("parks", 400);
  const [first, second] = [new Metrics(), new Metrics()];
  const worker = await ledger.worker({ workflows: [flow], metrics: first });
  const run = await ledger.start(flow);
  const checkpoint = await parked(run.id, "go");
  await worker.stop();
  const [head] = await ledger.store.fetchHeads([run.id]);
  expect(checkpoint.seq).toBe(head!.headSeq);
  expect(sample(first, "runledger_checkpoints_total")!.value).toBeGreaterThanOrEqual(5); // 800 events, at most 200 a turn
  expect(sample(first, "runledger_checkpoint_bytes")!.buckets!.at(-1)!.count).toBe(
    sample(first, "runledger_checkpoints_total")!.value,
  );
  await run.signal("go" as never, {} as never);
  await ledger.worker({ workflows: [flow], metrics: second });
  expect(await run.result()).toBe("done");
  expect(sample(second, "runledger_replayed_events_total", { from: "checkpoint" })!.value).toBe(1); // the signal
  expect(sample(second, "runledger_replay_seconds", { from: "beginning" })).toBeUndefined();
});

test("[E-22] C2: one is saved by hand, labelled with what was folded before its append", async () => {
  const flow = workflow("by-hand", { version: "1" }, (w) => {
    const first = w.step("first", ({ checkpoint }) => checkpoint());
    return w.step("second", { after: [first] }, () => "done");
  });
  const metrics = new Metrics();
  await ledger.worker({ workflows: [flow], metrics });
  const run = await ledger.start(flow);
  expect(await run.result()).toBe("done");
  expect(sample(metrics, "runledger_checkpoints_total")!.value).toBe(1);
  const completed = (await ledger.store.fetchEvents(run.id)).find(({ eventType }) => eventType === "StepCompleted");
  expect((await saved(run.id))!.seq).toBe(completed!.runSeq - 1);
});

test.each([
  ["corrupt", "data = replace(data, 'RUNNING', 'PENDING')"],
  ["too new", "format = 99"],
])("[E-22] C3: one that is %s is passed over with an alert, and the run goes on from its log", async (name, change) => {
  const flow = wide(name, 30);
  const worker = await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await parked(run.id, "go");
  await worker.stop();
  await spoil(change, run.id);
  await run.signal("go" as never, {} as never);
  const alerts: unknown[] = [];
  const metrics = new Metrics();
  await ledger.worker({ workflows: [flow], metrics, onAlert: (alert) => alerts.push(alert) });
  expect(await run.result()).toBe("done");
  expect(alerts).toEqual([expect.objectContaining({ code: "CHECKPOINT_UNUSABLE", runId: run.id })]);
  expect(sample(metrics, "runledger_replayed_events_total", { from: "beginning" })!.value).toBeGreaterThan(60);
});

test("[E-22] C3: a checkpoint above 100 KB is told of once", async () => {
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
