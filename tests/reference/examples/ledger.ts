import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect, openMetrics, workflow } from "runledger";
import { z } from "zod";

const hello = workflow("hello", { version: "1", input: z.object({ name: z.string() }) }, (w) =>
  w.step("greet", ({ input }) => `Hello, ${input.name}.`),
);
const gated = workflow("gated", { version: "1" }, (w) => w.waitForSignal("go"));

const ledger = await connect("memory:", {
  engine: undefined, // the workers' own processes; temporalEngine() executes runs on a cluster
  artifacts: "store:", // or a folder or bucket, such as "s3://bucket/prefix"
  retryForMs: 10_000,
  metrics: await openMetrics(),
  logger: { debug() {}, info() {}, warn: console.warn, error: console.error },
  encryption: { keys: `2026-11:${randomBytes(32).toString("base64")}` }, // keep real keys in the environment
  authorization: {
    authorize: async ({ by = "" }) =>
      by === "eve" ? { allowed: false, reason: "not an operator" } : { allowed: true },
  },
});
const projector = ledger.projector();
await ledger.worker({ workflows: [hello, gated] });

const run = await ledger.start(hello, {
  input: { name: "Ada" },
  requestId: "greeting-of-ada", // a second call with this id returns the same run
  runId: "run-ada",
  tenantId: "default",
  projectId: "letters",
  environmentId: "test",
  priority: 5,
  concurrencyKey: "ada",
  startAt: new Date(),
  dedupe: "workflow",
  labels: { team: "core" },
  trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  by: "ada",
});
assert.equal(await run.result(), "Hello, Ada.");
assert.equal(await (await ledger.get(hello, "run-ada")).result(), "Hello, Ada.");

const waiting = await ledger.start(gated);
await ledger.act(waiting.id, "PAUSE", { by: "ada" });
await ledger.act(waiting.id, "RESUME");
await assert.rejects(ledger.act(waiting.id, "CANCEL", { by: "eve" }), { code: "SIGNAL_REJECTED" });
await ledger.signal(waiting.id, "go", { by: "ada" }, { signalId: "once" });
assert.deepEqual(await waiting.result(), { by: "ada" });

const preview = await ledger.previewFork(run, { from: "greet" });
assert.equal(preview.version, "1");
const fork = await ledger.fork(run, { from: "greet", version: hello, input: { name: "Bob" }, by: "ada" });
assert.equal(await fork.result(), "Hello, Bob.");

const filter = { status: ["COMPLETED"], workflow: "hello", version: "1", labels: { team: "core" } } as const;
const place = { tenantId: "default", projectId: "letters", environmentId: "test" };
const times = { since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) };
const { store, alerts, metrics } = ledger;
await projector.stop();
const found: string[] = [];
for await (const { runId } of ledger.list({ ...filter, ...place, ...times })) found.push(runId);
assert.ok(found.includes("run-ada"));
assert.equal((await ledger.list({ error: "disk", parent: run.id, schedule: "none" }).page()).runs.length, 0);
assert.deepEqual(await ledger.unserved(), []);
assert.deepEqual(await ledger.datasets.list({ text: "orders" }), []);
assert.equal((await store.fetchEvents(run.id)).at(-1)?.eventType, "RunCompleted");
assert.deepEqual(alerts, []);
assert.match((await metrics?.expose()) ?? "", /runledger_appended_events_total/);
await ledger.close();
