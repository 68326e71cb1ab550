// @module-tag R-03
/** F6: every way to write an event stores its hash, and `changedEvents` finds the events that no longer match it. */
import { newEvent, type NewEvent, type RunStart } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
let store: PostgresStore;

beforeAll(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});
beforeEach(() => database.empty());

const plan = { planId: "p", planVersion: "1" };
const RUN = "run-1";
const emittedAt = "2026-03-29T01:59:59.999Z";
const ofStep = (stepId: string, runId = RUN): NewEvent =>
  newEvent({
    runId,
    stepId,
    eventType: "StepStarted",
    ...plan,
    emittedAt,
    eventData: { pi: 3.14, big: 1e30, ä: [null] },
  });
const startOf = (runId: string, kept: readonly NewEvent[] = []): RunStart => ({
  event: newEvent({ runId, eventType: "RunQueued", ...plan, eventData: { input: { a: 1 } } }),
  tenantId: "default",
  startKey: runId,
  inputHash: "hash",
  logFormat: 1,
  priority: 0,
  ...(kept.length > 0 && { kept }),
});

async function expectHashes(events: number): Promise<void> {
  const [counted] = await query(
    database.url,
    "SELECT count(*)::int AS events, count(content_hash)::int AS hashes FROM runledger.run_events",
  );
  expect(counted).toEqual({ events, hashes: events });
  for (const { runId } of await store.listHeads()) expect(await store.derived.changedEvents(runId)).toEqual([]);
}

const writes: Readonly<Record<string, readonly [events: number, write: () => Promise<unknown>]>> = {
  "an append of one event": [1, () => store.appendEvent(ofStep("a"))],
  "an append of several events": [2, () => store.appendEvents([ofStep("a"), ofStep("b")])],
  "an append to several runs": [2, () => store.appendEvents([ofStep("a"), ofStep("a", "run-2")])],
  "an append with effects on the queue": [1, () => store.appendEvents([ofStep("a")], { wakes: ["run-2"] })],
  "an append that repeats an event": [
    2,
    async () => {
      await store.appendEvent(ofStep("a"));
      await store.appendEvents([ofStep("a"), { ...ofStep("b"), causedBySignalId: "s-1" }]);
    },
  ],
  "a start": [1, () => store.queue.startRun(startOf(RUN))],
  "several starts": [
    9,
    () => Promise.all(Array.from({ length: 9 }, (_, n) => store.queue.startRun(startOf(`run-${n}`)))),
  ],
  "a fork": [2, () => store.queue.startRun(startOf(RUN, [ofStep("a")]))],
  "a copy": [
    1,
    () => {
      const events = [{ ...ofStep("a"), runSeq: 1, persistedAt: "2026-01-01T00:00:00.123Z" }];
      return store.copies.writeCopies([{ runId: RUN, tenantId: "default", afterSeq: 0, events, place: null }]);
    },
  ],
};

test.each(Object.entries(writes))("%s stores the hash of each event", async (_, [events, write]) => {
  await write();
  await expectHashes(events);
});

const changes = ["event_data = '[1]'", "persisted_at = now()", "caused_by_signal_id = 's'", "run_seq = 7"];

test.each(changes)("an event with a changed %s is found, also in the archive", async (change) => {
  await store.appendEvents([ofStep("a"), newEvent({ runId: RUN, eventType: "RunCompleted", ...plan })]);
  expect(await store.archive.archiveRun(RUN)).toMatchObject({ archived: true });
  expect(await store.derived.changedEvents(RUN)).toEqual([]);
  const [changed] = await query(
    database.url,
    `UPDATE runledger.run_events_archive SET ${change} WHERE run_seq = 2 RETURNING run_seq::int AS seq`,
  );
  expect(await store.derived.changedEvents(RUN)).toEqual([changed!["seq"]]);
});

test("an event of an earlier version has no hash and is not reported", async () => {
  await store.appendEvent(ofStep("a"));
  await query(database.url, "UPDATE runledger.run_events SET content_hash = NULL, event_data = '{}'");
  expect(await store.derived.changedEvents(RUN)).toEqual([]);
});
