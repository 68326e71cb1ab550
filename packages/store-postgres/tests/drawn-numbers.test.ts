// @module-tag H-10
/** PostgreSQL with a sequence per run (P10): writers that stall between drawing a number and storing its event. */
import { setTimeout as delay } from "node:timers/promises";
import { newEvent, type NewEvent, type StateStore } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, runClient } from "@runledger/store-conformance";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { PostgresStore } from "../src/index.js";
import { holdOnce, stallingWriter } from "./stalling-writer.js";

let database: FreshDatabase;
let store: PostgresStore;

beforeAll(async () => void (database = await freshDatabase({ migrated: false })));
afterAll(() => database.drop());
beforeEach(async () => {
  store = await PostgresStore.open({ url: database.url, authority: "sequence" });
  await database.empty();
});
afterEach(() => store.close());

const step = (n: number, runId = "r"): NewEvent =>
  newEvent({ runId, stepId: `s${n}`, eventType: "StepStarted", planVersion: "1" });
const seqsAfter = async (afterSeq: number): Promise<number[]> =>
  (await store.fetchEvents("r", { afterSeq })).map(({ runSeq }) => runSeq);

/** 1 to 3 are stored, 4 is drawn and held, 5 and 6 are stored. */
async function withGap() {
  const held = holdOnce();
  const writer = await stallingWriter(database.url, held.hold);
  await store.appendEvents([1, 2, 3].map((n) => step(n)));
  const late = writer.log.appendEvent(step(4));
  expect(await held.isHeld).toEqual([4]);
  await store.appendEvents([5, 6].map((n) => step(n)));
  return { ...held, writer, late };
}

test("F6: the loop of the contract loses no event of a gap that fills late", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  expect(await seqsAfter(0)).toEqual([1, 2, 3]);
  expect(await seqsAfter(3)).toEqual([]);
  expect(await store.projectSnapshot("r")).toMatchObject({ lastEventSeq: 3, stale: true });
  letGo();
  expect(await late).toEqual({ runSeq: 4, idempotent: false, persisted: true });
  await store.appendEvents([7, 8].map((n) => step(n)));
  expect(await seqsAfter(3)).toEqual([4, 5, 6, 7, 8]);
  expect(await store.projectSnapshot("r")).not.toHaveProperty("stale");
});

test("P10: a settled gap is dead: its writer is refused under the lock and gets another number", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  await store.settling!.settleSeq({ runId: "r", seq: 4 });
  expect(await seqsAfter(0)).toEqual([1, 2, 3, 5, 6]);
  letGo();
  expect(await late).toEqual({ runSeq: 7, idempotent: false, persisted: true });
  expect(await seqsAfter(6)).toEqual([7]);
});

test("P10: numbers above the head are never settled, and a settled number never becomes unsettled", async () => {
  await store.appendEvents([1, 2, 3].map((n) => step(n)));
  await store.settling!.settleSeq({ runId: "r", seq: 900 });
  await store.settling!.settleSeq({ runId: "r", seq: 1 });
  await store.settling!.settleSeq({ runId: "absent", seq: 1 });
  expect(await store.fetchHeads(["r", "absent"])).toMatchObject([{ headSeq: 3, settledSeq: 3 }]);
  expect(await store.appendEvent(step(4))).toMatchObject({ runSeq: 4 });
});

test("P3: no event can take a place before an append that expected a head", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  expect(await store.appendEvents([step(7)], { expectedSeq: 6 })).toMatchObject([{ runSeq: 7 }]);
  expect(await seqsAfter(0)).toEqual([1, 2, 3, 5, 6, 7]);
  letGo();
  expect(await late).toMatchObject({ runSeq: 8 });
  await expect(store.appendEvents([step(9)], { expectedSeq: 7 })).rejects.toMatchObject({ code: "SEQ_MISMATCH" });
});

test("duplicates and refused calls use up no number, and the sequence is named by a hash", async () => {
  const runId = `r-${"ü".repeat(200)}`;
  await store.appendEvents([step(1, runId), step(2, runId)]);
  await store.appendEvents([step(1, runId), step(2, runId)]);
  await expect(store.appendEvents([step(3, runId)], { expectedSeq: 9 })).rejects.toMatchObject({
    code: "SEQ_MISMATCH",
  });
  await expect(store.appendEvents([step(3, "ghost")], { mustExist: true })).rejects.toThrow("ghost");
  expect(await store.appendEvents([step(2, runId), step(3, runId)])).toMatchObject([
    { runSeq: 2, idempotent: true },
    { runSeq: 3, idempotent: false },
  ]);
  const [row] = await query<{ seq_name: string }>(database.url, "SELECT * FROM runledger.run_sequence_registry");
  expect(row!.seq_name).toMatch(/^run_seq_[0-9a-f]{40}$/);
});

test("a log that grew without its sequence, as by an import, is continued above its head", async () => {
  await store.appendEvent(step(1));
  await query(database.url, "UPDATE runledger.run_heads SET head_seq = 50 WHERE run_id = 'r'");
  expect(await store.appendEvents([step(2), step(3)])).toMatchObject([{ runSeq: 51 }, { runSeq: 52 }]);
});

test("stalled writers, settling readers and a busy cleanup leave a clean history", async () => {
  const stall = (): Promise<void> => delay(Math.random() * 20);
  const writers = await Promise.all([1, 2, 3].map(() => stallingWriter(database.url, stall)));
  const handles = writers.map(({ log }) => stalled(log));
  const over = new AbortController();
  const settle = async (): Promise<void> => {
    while (!over.signal.aborted) {
      for (const { runId, headSeq } of await store.listHeads())
        if (Math.random() < 0.3) await store.settling!.settleSeq({ runId, seq: headSeq });
      await query(database.url, "UPDATE runledger.run_sequence_registry SET made_at = '-infinity'");
      await query(database.url, DROP_ALL);
      await delay(5);
    }
  };
  const clients = [store, ...handles].map((handle, index) =>
    runClient(handle, { client: `client-${index}`, seed: index, turns: 40 }),
  );
  const settling = settle();
  const histories = await Promise.all(clients);
  over.abort();
  await settling;
  const history = mergeHistories([...histories, await readEnd(store)]);
  expect(checkHistory(history, { contiguous: false }).violations).toEqual([]);
  expect(history.logs.some(({ events }) => events.at(-1)!.runSeq > events.length)).toBe(true); // there were gaps
  for (const writer of writers) await writer[Symbol.asyncDispose]();
});

/** Drops sequences of live runs: too early, so that the next draw must not repeat a number. */
const DROP_ALL = `
DO $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM runledger.run_sequence_registry FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM runledger.run_sequence_registry WHERE run_id = r.run_id;
    EXECUTE format('DROP SEQUENCE runledger.%I', r.seq_name);
  END LOOP;
END $$`;

/** The store with the log of a stalling writer. */
function stalled(log: object): StateStore {
  return new Proxy(store, {
    get: (target, name) => {
      const owner = ["appendEvent", "appendEvents"].includes(String(name)) ? log : target;
      const value: unknown = Reflect.get(owner, name);
      return typeof value === "function" ? (value.bind(owner) as unknown) : value;
    },
  });
}
