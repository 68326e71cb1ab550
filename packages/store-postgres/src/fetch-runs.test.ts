// @module-tag R-08
/** Followers read a bounded number of bytes, regardless of the payloads that the logs of many runs have. */
import { randomBytes } from "node:crypto";
import { newEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, expect, test } from "vitest";
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

const outputs = {
  "that cannot be compressed": () => randomBytes(60_000).toString("base64"),
  "that are compressed": () => "x".repeat(80_000),
};

for (const [what, output] of Object.entries(outputs))
  test(`events ${what} are read in order and up to a number of bytes`, async () => {
    const runIds = ["a", "b", "c"].map((name) => `${name} ${what}`);
    for (const runId of runIds)
      await store.appendEvents(
        Array.from({ length: 30 }, (_, n) => {
          const parts = { runId, eventType: "StepCompleted", stepId: `s${n}`, planVersion: "1" };
          return newEvent({ ...parts, eventData: { output: output() } });
        }),
      );
    const asked = runIds.map((runId) => ({ runId, afterSeq: 0 }));
    const maxBytes = 400_000;
    const logs = await store.feed.fetchRuns(asked, { maxBytes });
    expect(logs[0]!.map(({ runSeq }) => runSeq)).toEqual(logs[0]!.map((_, index) => index + 1));
    expect(JSON.stringify(logs).length).toBeLessThan(10 * maxBytes);
    expect(logs.flat().length).toBeLessThan(90);
    expect((await store.feed.fetchRuns(asked)).flat().length).toBe(90);
    const [alone] = await store.feed.fetchRuns([{ runId: runIds[2]!, afterSeq: 29 }], { maxBytes: 1 });
    expect(alone!.map(({ runSeq }) => runSeq)).toEqual([30]); // one event always fits
  });
