// @module-tag R-08
/** Events that expand to more steps than fit into memory, in a log that was written before they were refused (K4). */
import { newEvent, type Json } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catchUp } from "./catch-up.js";
import { tailOf } from "./fold-tail.js";

let database: FreshDatabase;
let store: PostgresStore;
let client: Client;

beforeAll(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await store.close();
  await database.drop();
});

/** Appends a harmless event and changes its payload in the database. */
async function plant(runId: string, eventType: string, eventData: Json, stepId?: string): Promise<void> {
  const own = stepId === undefined ? {} : { stepId };
  await store.appendEvents([
    newEvent({ runId, eventType: "RunStarted", planVersion: "1" }),
    newEvent({ runId, eventType, planVersion: "1", ...own }),
  ]);
  const change = "UPDATE runledger.run_events SET event_data = $2 WHERE run_id = $1 AND run_seq = 2";
  await client.query(change, [runId, JSON.stringify(eventData)]);
}

test("a poison event stops no projector: its run and all others are projected", async () => {
  const range = { container: "each", from: 0, to: 1e15, step: "one" };
  await plant("poison-1", "StepsReset", { steps: [range] });
  await plant("poison-2", "RunReopened", { steps: [{ ...range, from: 2 ** 53, to: 2 ** 53 + 2 }] });
  await plant("poison-3", "RunTakenOver", { epoch: 1, workerId: "w", stepsInFlight: [range] });
  await plant("poison-4", "StepStarted", { opened: { count: 1e15 } }, "each");
  await store.appendEvent(newEvent({ runId: "zebra", eventType: "RunStarted", planVersion: "1" }));
  await catchUp(store);
  const seqs = await Promise.all(
    ["poison-1", "poison-2", "poison-3", "poison-4", "zebra"].map(async (runId) => {
      return (await store.getSnapshot(runId))?.lastEventSeq;
    }),
  );
  expect(seqs).toEqual([2, 2, 2, 2, 1]);
});

test("a turn that names many steps stops early, and the next turn continues", () => {
  const reset = (runSeq: number) => {
    const steps = [{ container: `c${runSeq}`, from: 0, to: 9_999, step: "one" }];
    const event = newEvent({ runId: "r", eventType: "StepsReset", planVersion: "1", eventData: { steps } });
    return { ...event, runSeq };
  };
  const events = [1, 2, 3, 4].map(reset);
  const first = tailOf(0, events, 0);
  expect([first.events.length, first.stepIds.length, first.isCut]).toEqual([2, 20_000, true]);
  const second = tailOf(2, events.slice(2), 0);
  expect([second.events.length, second.isCut]).toEqual([2, false]);
});
