/** Calls before `close` get their results, even if they wait for a batch or for a connection. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newEvent, type RunStart } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

function startOf(runId: string): RunStart {
  const event = newEvent({ runId, planId: "orders", planVersion: "1", eventType: "RunQueued" });
  return { event, tenantId: "default", startKey: runId, inputHash: "none", logFormat: 1, priority: 0 };
}

test("starts that wait for a batch are sent before the store closes", async () => {
  const store = await PostgresStore.open({ url: database.url });
  const runIds = Array.from({ length: 450 }, (_, index) => `closing-${index}`);
  const started = runIds.map((runId) => store.queue.startRun(startOf(runId)));
  const closed = store.close();
  expect(await Promise.all(started)).toMatchObject(runIds.map((runId) => ({ runId, created: true })));
  await closed;
  await expect(store.queue.startRun(startOf("late"))).rejects.toMatchObject({ code: "STORE_CLOSED" });

  await using again = await PostgresStore.open({ url: database.url });
  expect((await again.listHeads()).map(({ headSeq }) => headSeq)).toEqual(runIds.map(() => 1));
});

test("reads that wait for a connection get one before the store closes", async () => {
  const store = await PostgresStore.open({ url: database.url, poolSize: 1, connectTimeoutMs: 600_000 });
  const reads = Array.from({ length: 5 }, () => store.fetchEvents("closing-0"));
  const heads = Array.from({ length: 5 }, () => store.fetchHeads(["closing-0"]));
  const closed = store.close();
  expect((await Promise.all([...reads, ...heads])).map((found) => found.length)).toEqual(Array(10).fill(1));
  await closed;
});
