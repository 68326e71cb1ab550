// @module-tag R-05
/** A server, a connection or a statement that does not respond is given up (P7), and the store closes. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startSilentProxy, type SilentProxy } from "@runledger/test-support/silent-proxy";
import { until } from "@runledger/test-support/until";
import { PostgresStore } from "./index.js";
import { timeLimits } from "./time-limits.js";

let database: FreshDatabase;
let proxy: SilentProxy;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startSilentProxy(database.url);
});

afterAll(async () => {
  await proxy.close();
  await database.drop();
});

let runs = 0;
const event = () => newEvent({ runId: `run-${++runs}`, eventType: "RunStarted", planVersion: "1" });
const plan = { planId: "plan", planVersion: "1" };

async function open(url: string): Promise<PostgresStore> {
  const store = await PostgresStore.open({ url });
  onTestFinished(() => store.close());
  onTestFinished(() => proxy.resume());
  return store;
}

const responds = (store: PostgresStore): Promise<boolean> =>
  store.fetchHeads(["none"]).then(
    () => true,
    () => false,
  );

/** A connection that holds a lock until it is closed. */
async function locked(text: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`BEGIN; ${text}`);
  onTestFinished(() => client.end());
  return () => client.end();
}

const writes: Record<string, (store: PostgresStore) => Promise<unknown>> = {
  append: (store) => store.appendEvent(event()),
  heartbeat: (store) => store.leases.heartbeat({ workerId: "w", ttlMs: 600_000 }),
  claim: (store) => store.queue.claimRuns({ workerId: "w", plans: [plan], logFormat: 1, limit: 1 }),
  "feed member": (store) => store.feed.attend({ group: "g", member: "m", ttlMs: 60_000 }),
  "due schedules": (store) => store.schedules.claimDue({ limit: 1, holdMs: 1000 }),
};
const reads: Record<string, (store: PostgresStore) => Promise<unknown>> = {
  events: (store) => store.fetchEvents("run-1"),
  heads: (store) => store.fetchHeads(["run-1"]),
  feed: (store) => store.feed.fetchRuns([{ runId: "run-1", afterSeq: 0 }]),
  schedules: (store) => store.schedules.listSchedules({ tenantId: "default" }),
};

test.each(["existing", "all"] as const)(
  "every statement in progress is given up when %s connections go silent, and the store closes",
  async (which) => {
    const store = await open(`${proxy.url}?silenceTimeoutMs=2000`);
    const calls = Object.entries({ ...writes, ...reads });
    await Promise.allSettled(calls.map(([, call]) => call(store))); // so that the connections exist
    proxy.silence(which);
    const outcomes = await Promise.allSettled(calls.map(([, call]) => call(store)));
    const codes = outcomes.map((each, i) => [calls[i]![0], (each as { reason?: { code: string } }).reason?.code]);
    expect(Object.fromEntries(codes)).toEqual({
      ...Object.fromEntries(Object.keys(writes).map((name) => [name, "OUTCOME_UNKNOWN"])),
      ...Object.fromEntries(Object.keys(reads).map((name) => [name, "STORE_UNAVAILABLE"])),
    });
    if (which === "existing") await until(() => responds(store));
    await store.close();
    proxy.resume();
    await until(() => proxy.open() === 0);
  },
);

test("callers that wait for a connection to a silent server are refused as well", async () => {
  const store = await open(`${proxy.url}?silenceTimeoutMs=2000`);
  proxy.silence("all");
  const waiting = Array.from({ length: 30 }, () => store.fetchHeads(["a"]));
  for (const outcome of await Promise.allSettled(waiting))
    expect(outcome).toMatchObject({ reason: { code: "STORE_UNAVAILABLE" } });
  proxy.resume();
  await until(() => responds(store));
});

test("a store on a silent server closes, also with idle connections", async () => {
  const store = await open(`${proxy.url}?silenceTimeoutMs=2000`);
  proxy.silence("all");
  await store.close();
  proxy.resume(); // it notices the end of its connections only now
  await until(() => proxy.open() === 0);
});

test("opening a store on a silent server gives STORE_UNAVAILABLE", async () => {
  proxy.silence("all");
  const opened = PostgresStore.open({ url: proxy.url, silenceTimeoutMs: 1000 });
  await expect(opened).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  proxy.resume();
});

test("a statement above its limit is given up: an append with an unknown outcome, and its retry is stored", async () => {
  const store = await open(`${database.url}?appendTimeoutMs=300&statementTimeoutMs=60000`);
  const stored = event();
  const unlock = await locked("LOCK TABLE runledger.run_heads");
  await expect(store.appendEvent(stored)).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  await unlock();
  expect(await store.appendEvent(stored)).toMatchObject({ runSeq: 1 });
});

test("the server ends a statement above the limit, even if its client is gone", async () => {
  const store = await open(`${database.url}?statementTimeoutMs=300`);
  const unlock = await locked("LOCK TABLE runledger.run_heads");
  await expect(store.fetchHeads(["a"])).rejects.toMatchObject({ code: "STORE_BUSY", family: "retry" });
  await unlock();
});

test("a slow statement on a server that responds is not given up", async () => {
  const store = await open(`${database.url}?silenceTimeoutMs=4000`);
  const unlock = await locked("LOCK TABLE runledger.run_heads");
  const slow = store.fetchHeads(["a"]);
  await sleep(5000); // the server is probed after two seconds
  await unlock();
  expect(await slow).toEqual([]);
});

test("without options a statement has 30 seconds, an append 10, and a silent server is noticed within 15", () => {
  const { limits, silenceMs } = timeLimits(database.url, {});
  expect(limits).toMatchObject({ statement: 30_000, append: 10_000 });
  expect(silenceMs).toBeLessThanOrEqual(15_000);
});

test("a time limit that is not a number of milliseconds is refused", async () => {
  for (const limit of ["0", "-1", "x", "1.5", "3000000000"])
    await expect(PostgresStore.open({ url: `${database.url}?appendTimeoutMs=${limit}` })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
});
