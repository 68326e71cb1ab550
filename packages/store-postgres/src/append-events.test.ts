/** What only several processes on one PostgreSQL show: both paths racing, lock order, and plans that stay good. */
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, runClient } from "@runledger/store-conformance";
import { freshDatabase, type FreshDatabase } from "../../../tests/support/fresh-database.js";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
let stores: PostgresStore[];

beforeEach(async () => {
  database = await freshDatabase();
  stores = await Promise.all([1, 2, 3, 4].map(() => PostgresStore.open({ url: database.url })));
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

async function query(text: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows[0]!;
  } finally {
    await client.end();
  }
}

const event = (runId: string, stepId: string, eventData = {}): NewEvent =>
  newEvent({ runId, stepId, eventType: "StepStarted", planVersion: "1", eventData });

test("[L-22] four stores on hot runs, duplicates on both paths: no gap, no second number, no deadlock", async () => {
  const clients = stores.map((store, index) => runClient(store, { client: `store-${index}`, seed: index, turns: 60 }));
  const history = mergeHistories([...(await Promise.all(clients)), await readEnd(stores[0]!)]);
  expect(checkHistory(history).violations).toEqual([]);
  expect(await query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")).toEqual({
    deadlocks: "0",
  });
});

test("[L-22] P8: calls over many runs, each naming them in another order, never deadlock", async () => {
  const runs = Array.from({ length: 30 }, (_, i) => `run-${(i * 7) % 30}`);
  const rounds = Array.from({ length: 12 }, async (_, round) => {
    const order = [...runs.slice(round), ...runs.slice(0, round)];
    const events = order.map((runId) => event(runId, `step-${round % 9}`)); // every ninth repeats: the slow path too
    return stores[round % 4]!.appendEvents(events);
  });
  await Promise.all(rounds);
  for (const { headSeq } of await stores[0]!.fetchHeads(runs)) expect(headSeq).toBe(9);
  expect(await query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")).toEqual({
    deadlocks: "0",
  });
});

test("[L-22] K5: of ten callers with one key and ten payloads, one writes and nine are told of the conflict", async () => {
  const calls = Array.from({ length: 10 }, (_, n) => stores[n % 4]!.appendEvent(event("run-1", "load", { n })));
  const results = await Promise.all(calls);
  expect(results.filter(({ persisted }) => persisted)).toHaveLength(1);
  expect(results.filter(({ conflict }) => conflict === true)).toHaveLength(9);
  expect(new Set(results.map(({ runSeq }) => runSeq))).toEqual(new Set([1]));
});

test("[L-22] P3: of ten callers who expect the same head, exactly one is let in", async () => {
  const calls = Array.from({ length: 10 }, (_, n) =>
    stores[n % 4]!.appendEvents([event("run-1", `step-${n}`)], { expectedSeq: 0 }),
  );
  const settled = await Promise.allSettled(calls);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of settled)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "SEQ_MISMATCH", headSeq: 1 });
});

test("[L-22] the slow path's plan, cached while the log was empty, does not scan it when it has grown", async () => {
  const store = stores[0]!;
  const first = event("run-1", "first");
  for (let i = 0; i < 10; i++) await store.appendEvent(first); // often enough for a cached plan
  for (let i = 0; i < 10; i++) {
    await store.appendEvents(Array.from({ length: 500 }, (_, n) => event(`run-${i}`, `step-${n}`)));
  }
  for (let i = 0; i < 10; i++) expect(await store.appendEvent(first)).toMatchObject({ idempotent: true });
  await store.close(); // a session reports what it read when it ends, at the latest
  const { read } = await query(
    "SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'run_events'",
  );
  expect(read).toBeLessThan(5000); // one scan of what is there now would be as much
});
