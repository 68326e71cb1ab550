// @module-tag L-22
/** Shows with several stores on one PostgreSQL: races between both appends, lock order, and cached plans that stay good. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, runClient } from "@runledger/store-conformance";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";
import { query } from "@runledger/test-support/databases";

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

/** Returns the first row. */
async function queryOne<Row extends object = Record<string, unknown>>(text: string): Promise<Row> {
  return (await query<Row>(database.url, text))[0]!;
}

const event = (runId: string, stepId: string, eventData = {}): NewEvent =>
  newEvent({ runId, stepId, eventType: "StepStarted", planVersion: "1", eventData });

test("four stores append duplicates to hot runs through both paths, without gaps, second numbers or deadlocks", async () => {
  const clients = stores.map((store, index) => runClient(store, { client: `store-${index}`, seed: index, turns: 60 }));
  const history = mergeHistories([...(await Promise.all(clients)), await readEnd(stores[0]!)]);
  expect(checkHistory(history).violations).toEqual([]);
  expect(await queryOne("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")).toEqual({
    deadlocks: "0",
  });
});

test("P8: calls that name the same runs in different orders never deadlock", async () => {
  const runs = Array.from({ length: 30 }, (_, i) => `run-${(i * 7) % 30}`);
  const rounds = Array.from({ length: 12 }, async (_, round) => {
    const order = [...runs.slice(round), ...runs.slice(0, round)];
    const events = order.map((runId) => event(runId, `step-${round % 9}`)); // every ninth is a duplicate and takes the slow path
    return stores[round % 4]!.appendEvents(events);
  });
  await Promise.all(rounds);
  for (const { headSeq } of await stores[0]!.fetchHeads(runs)) expect(headSeq).toBe(9);
  expect(await queryOne("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")).toEqual({
    deadlocks: "0",
  });
});

test("K5: of ten callers with one key and ten payloads, one writes and nine get a conflict", async () => {
  const calls = Array.from({ length: 10 }, (_, n) => stores[n % 4]!.appendEvent(event("run-1", "load", { n })));
  const results = await Promise.all(calls);
  expect(results.filter(({ persisted }) => persisted)).toHaveLength(1);
  expect(results.filter(({ conflict }) => conflict === true)).toHaveLength(9);
  expect(new Set(results.map(({ runSeq }) => runSeq))).toEqual(new Set([1]));
});

test("P3: of ten callers that expect the same head, exactly one appends", async () => {
  const calls = Array.from({ length: 10 }, (_, n) =>
    stores[n % 4]!.appendEvents([event("run-1", `step-${n}`)], { expectedSeq: 0 }),
  );
  const settled = await Promise.allSettled(calls);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of settled)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "SEQ_MISMATCH", headSeq: 1 });
});

test("the plan of the slow append, cached on an empty log, does not scan a full one", async () => {
  const store = stores[0]!;
  const first = event("run-1", "first");
  for (let i = 0; i < 10; i++) await store.appendEvent(first); // often enough for a cached plan
  for (let i = 0; i < 10; i++) {
    await store.appendEvents(Array.from({ length: 500 }, (_, n) => event(`run-${i}`, `step-${n}`)));
  }
  for (let i = 0; i < 10; i++) expect(await store.appendEvent(first)).toMatchObject({ idempotent: true });
  await store.close(); // a session reports its statistics at the latest when it closes
  const { read } = await queryOne(
    "SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = 'run_events'",
  );
  expect(read).toBeLessThan(5000); // a single scan of the log would read as much
});
