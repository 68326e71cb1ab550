// @module-tag H-10
/** A projector on PostgreSQL whose numbers have gaps (P10): some fill late, some are dead, and no event is lost or repeated (F6). */
import { setTimeout as delay } from "node:timers/promises";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { Projector } from "@runledger/runtime/projector/projector";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { embeddedEngine } from "@runledger/runtime/engine/engine";
import { connect } from "runledger";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { holdOnce, stallingWriter } from "./stalling-writer.js";

let database: FreshDatabase;
let store: PostgresStore;

beforeEach(async () => {
  database = await freshDatabase({ migrated: false });
  store = await PostgresStore.open({ url: database.url, authority: "sequence" });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const step = (n: number, runId = "r"): NewEvent =>
  newEvent({ runId, stepId: `s${n}`, eventType: "StepStarted", planVersion: "1" });

function project(settleAfterMs: number): void {
  const projector = new Projector(store, { settleAfterMs, pollMs: 20 });
  onTestFinished(() => projector.stop());
}

/** The projection has every event of the log, in order, and is not stale. */
async function isCurrent(runId = "r"): Promise<boolean> {
  const [head] = await store.fetchHeads([runId]);
  const snapshot = await store.getSnapshot(runId);
  if (snapshot === null || snapshot.stale === true || snapshot.lastEventSeq !== head?.headSeq) return false;
  const events = await store.fetchEvents(runId, { limit: 10_000 });
  return (
    JSON.stringify(snapshot.steps.map(({ stepId }) => stepId)) === JSON.stringify(events.map(({ stepId }) => stepId))
  );
}

async function withGap() {
  const held = holdOnce();
  const writer = await stallingWriter(database.url, held.hold);
  await store.appendEvents([1, 2, 3].map((n) => step(n)));
  const late = writer.log.appendEvent(step(4));
  expect(await held.isHeld).toEqual([4]);
  await store.appendEvents([5, 6].map((n) => step(n)));
  return { ...held, writer, late };
}

test("a gap that fills late: the run is stale meanwhile, and then has all events in order", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  project(Infinity);
  await until(async () => (await store.getSnapshot("r"))?.stale === true);
  expect(await store.getSnapshot("r")).toMatchObject({ lastEventSeq: 3 });
  letGo();
  expect(await late).toMatchObject({ runSeq: 4 });
  await until(() => isCurrent());
  expect((await store.getSnapshot("r"))!.steps.map(({ stepId }) => stepId)).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => `s${n}`),
  );
});

test("a gap whose writer is lost: the projector settles it, and the writer's event gets a later place", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  project(50);
  await until(() => isCurrent());
  expect(await store.fetchHeads(["r"])).toMatchObject([{ headSeq: 6, settledSeq: 4 }]);
  letGo();
  expect(await late).toMatchObject({ runSeq: 7 });
  await until(() => isCurrent());
  expect((await store.getSnapshot("r"))!.steps.at(-1)!.stepId).toBe("s4");
});

test("an erasure settles a gap, so that its writer gets a later place, which is projected", async () => {
  const { writer, late, letGo } = await withGap();
  await using _ = writer;
  await store.appendEvents([newEvent({ runId: "r", eventType: "RunCompleted", planVersion: "1" })]);
  project(Infinity);
  await until(async () => (await store.getSnapshot("r"))?.stale === true);
  const outcome = await store.erasure.eraseRun({ runId: "r", by: "kim", reason: "request 4711" });
  letGo();
  expect(outcome).toMatchObject({ erased: true });
  expect(await late).toMatchObject({ runSeq: 8 });
  await until(async () => (await store.getSnapshot("r"))?.lastEventSeq === 8);
  expect((await store.fetchEvents("r")).map(({ runSeq }) => runSeq)).toEqual([1, 2, 3, 5, 6, 7, 8]);
});

test("stalled writers race with two projectors that settle at once: every event is projected, in order", async () => {
  const writers = await Promise.all([1, 2, 3].map(() => stallingWriter(database.url, () => delay(Math.random() * 30))));
  project(1);
  project(1);
  const runIds = ["a", "b", "c"];
  const append = async (writer: (typeof writers)[number], place: number): Promise<void> => {
    for (let n = 0; n < 15; n++) for (const runId of runIds) await writer.log.appendEvent(step(100 * place + n, runId));
  };
  await Promise.all(writers.map(append));
  for (const runId of runIds) {
    await until(() => isCurrent(runId));
    expect((await store.getSnapshot(runId))!.steps).toHaveLength(45);
  }
  for (const writer of writers) await writer[Symbol.asyncDispose]();
});

test("the embedded engine refuses this authority at startup, with the reason", async () => {
  await using ledger = await connect(database.url);
  const refused = ledger.worker({ workflows: [], engine: embeddedEngine });
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNSUITABLE", family: "stop" });
  await expect(refused).rejects.toThrow(
    /leaves gaps in the numbers .* Use the Temporal engine, or a store with the default/,
  );
});
