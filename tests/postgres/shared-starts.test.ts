// @module-tag E-19
/** Starts that share a statement have the same results as starts alone (Q1, P6, P7), and never deadlock (P8). */
import { Client } from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import { newEvent, type FullStateStore, type RunStart } from "@runledger/contracts";
import { checkHistory } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { startCutProxy } from "@runledger/test-support/cut-proxy";
import { freshDatabase } from "@runledger/test-support/fresh-database";

const PLAN = { planId: "nightly", planVersion: "1" };
const database = await freshDatabase();
let recorder: HistoryRecorder;
const recorded = (store: FullStateStore, name: string): FullStateStore =>
  interceptStore(store, (call) => recorder.recording(name, ({ proceed }) => proceed())(call));
const CLIENTS = ["first", "second", "third", "fourth"];
const stores = await Promise.all(
  CLIENTS.map(async (name) => recorded(await PostgresStore.open({ url: database.url }), name)),
);
const store = stores[0]!;
const client = new Client({ connectionString: database.url });
await client.connect();

beforeEach(async () => {
  recorder = new HistoryRecorder();
  await database.empty();
});
afterAll(async () => {
  await client.end();
  await Promise.all(stores.map((each) => each.close()));
  await database.drop();
});

function startOf(runId: string, parts: Partial<RunStart> = {}): RunStart {
  const event = newEvent({ runId, eventType: "RunQueued", ...PLAN, eventData: { of: runId } });
  return { event, tenantId: "default", startKey: `of ${runId}`, inputHash: "", logFormat: 1, priority: 0, ...parts };
}

const names = (many: number): string[] => Array.from({ length: many }, (_, index) => `run-${100 + index}`);

async function count(what: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM runledger.${what}`);
  return rows[0]!.count;
}

async function assertClean(): Promise<void> {
  expect(checkHistory(await recorder.history(store)).violations).toEqual([]);
  const { rows } = await client.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  expect(rows).toEqual([{ deadlocks: "0" }]);
}

test("concurrent starts share a commit, and each run has its event, its head and its queue row", async () => {
  const starts = names(60).map((runId, index) => startOf(runId, { tenantId: `tenant-${index % 3}`, priority: index }));
  const started = await Promise.all(starts.map((start) => store.queue.startRun(start)));
  expect(started).toEqual(names(60).map((runId) => ({ runId, created: true, inputHash: "", limited: false })));
  expect(await count("change_feed")).toBe(1);
  expect(await store.fetchEvents("run-117")).toMatchObject([{ runSeq: 1, eventData: { of: "run-117" } }]);
  expect(await store.queue.inspectRun("run-117")).toMatchObject({ entry: { tenantId: "tenant-2", priority: 17 } });
  expect(await count("queue_lanes")).toBe(3);
  await store.leases.heartbeat({ workerId: "w", ttlMs: 60_000 });
  const { runs } = await store.queue.claimRuns({ workerId: "w", plans: [PLAN], logFormat: 1, limit: 100 });
  expect(runs.map(({ runId }) => runId).sort()).toEqual(names(60));
  await assertClean();
});

test("Q1, P8: four clients that send the same requests in different orders, within limits, start each run once", async () => {
  for (const scope of ["tenant", "concurrencyKey"] as const)
    await store.limits.setLimit({ scope, subject: "*", maxQueued: 1000, maxRunning: 5, rate: null, priority: null });
  const told = new Map<string, Set<string>>();
  const rounds = stores.map(async (each, place) => {
    const requests = names(40).map((_, index) => (index * (2 * place + 3)) % 40);
    const starts = requests.map(async (request) => {
      const where = { tenantId: `tenant-${request % 5}`, concurrencyKey: `key-${request % 7}` };
      const { runId } = await each.queue.startRun(
        startOf(`run-${request}-${place}`, { startKey: `of ${request}`, ...where }),
      );
      told.set(`${request}`, (told.get(`${request}`) ?? new Set()).add(runId));
    });
    await Promise.all(starts);
  });
  await Promise.all(rounds);
  for (const runIds of told.values()) expect(runIds.size).toBe(1);
  expect(told.size).toBe(40);
  expect(await count("run_heads")).toBe(40);
  expect(await count("run_queue")).toBe(40);
  await assertClean();
});

test("P6: a start that fails does not affect the others, and a repeated start gets its run", async () => {
  const known = await store.queue.startRun(startOf("run-0"));
  const starts = [...names(20).map((runId) => startOf(runId)), startOf("run-1", { startKey: "of run-0" })];
  const clash = startOf("run-0", { startKey: "another request, the same run" });
  const outcomes = await Promise.allSettled([...starts, clash].map((start) => store.queue.startRun(start)));
  const last = outcomes.pop();
  expect(last).toMatchObject({ status: "rejected", reason: { code: "STORE_FAULT" } });
  expect(outcomes.pop()).toMatchObject({ value: { runId: known.runId, created: false } });
  for (const outcome of outcomes) expect(outcome).toMatchObject({ value: { created: true } });
  expect(await count("run_heads")).toBe(21);
  await assertClean();
});

test("concurrent starts never queue more runs than the limit allows", { tags: ["O-20"] }, async () => {
  await store.limits.setLimit({
    scope: "overall",
    subject: "",
    maxQueued: 10,
    maxRunning: null,
    rate: null,
    priority: null,
  });
  const outcomes = await Promise.allSettled(names(30).map((runId) => store.queue.startRun(startOf(runId))));
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(20);
  for (const refusal of refused) expect(refusal).toMatchObject({ reason: { code: "QUEUE_FULL" } });
  expect(await count("run_queue")).toBe(10);
  await assertClean();
});

test.each(["before", "after"] as const)(
  "P7: a cut %s the commit of a shared start gives every caller OUTCOME_UNKNOWN, and a retry finds the result",
  { tags: ["L-31"] },
  async (when) => {
    const proxy = await startCutProxy(database.url);
    const cutOff = recorded(await PostgresStore.open({ url: proxy.url, migrate: false }), "cut off");
    const cut = proxy.arm({ when, text: "queue_start_many" });
    const all = () => Promise.allSettled(names(8).map((runId) => cutOff.queue.startRun(startOf(runId))));
    for (const outcome of await all()) expect(outcome).toMatchObject({ reason: { code: "OUTCOME_UNKNOWN" } });
    expect(cut.happened()).toBe(true);
    for (const outcome of await all()) expect(outcome).toMatchObject({ value: { created: when === "before" } });
    expect(await count("run_heads")).toBe(8);
    await cutOff.close();
    await proxy.close();
    await assertClean();
  },
);
