// @module-tag R-12
import { newEvent } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, expect, test } from "vitest";
import { PostgresStore } from "./index.js";

const database = await freshDatabase();
const store = await PostgresStore.open({ url: database.url });
afterAll(async () => {
  await store.close();
  await database.drop();
});

test("reads that share a round trip return at most as many events as each caller wants", async () => {
  const step = (stepId: string) => newEvent({ runId: "run", eventType: "StepStarted", stepId, planVersion: "1" });
  await store.appendEvents(["a", "b", "c"].map(step));
  const pages = await Promise.all([1, 2, 9].map((limit) => store.fetchEvents("run", { limit })));
  expect(pages.map(({ length }) => length)).toEqual([1, 2, 3]);
});
