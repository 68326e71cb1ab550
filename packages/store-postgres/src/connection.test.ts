// @module-tag R-12
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { PostgresStore } from "./index.js";

const database = await freshDatabase();
afterAll(() => database.drop());

test("the time limit for preparing a connection does not cut the connection later", async () => {
  const silenceTimeoutMs = 7_654_321; // no other timer has it
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  const store = await PostgresStore.open({ url: database.url, silenceTimeoutMs });
  await store.listHeads();
  await store.close();
  const timers = set.mock.results.filter((_, at) => set.mock.calls[at]![1] === silenceTimeoutMs);
  expect(timers.length).toBeGreaterThan(0);
  const cleared = clear.mock.calls.map(([timer]) => timer);
  expect(timers.filter(({ value }) => !cleared.includes(value as NodeJS.Timeout))).toEqual([]);
});
