// @module-tag B-04
/** A bus that is away while several writers append at full speed. */
import { newEvent } from "@runledger/contracts";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { Receiver } from "./receiver.js";

const WRITERS = 8;
const RUNS = 50;
const BATCHES = 10;
const BATCH = 5;

test("20,000 events are acknowledged while the bus is away, and arrive afterwards in order", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const ledger = await connect(database.url);
  const receiver = await new Receiver().start();
  onTestFinished(async () => {
    await receiver.stop();
    await ledger.close();
  });
  await ledger.subscriptions.put({ id: "hook", bus: { type: "webhook", url: receiver.url, batchSize: 50 } });
  ledger.outbox({ allowAddresses: ["127.0.0.1"], pollMs: 20, onAlert: () => {} });
  await receiver.stop();

  const recorded = recordHistory(ledger.store);
  const write = async (writer: number): Promise<number> => {
    let acknowledged = 0;
    for (let batch = 0; batch < BATCHES; batch++)
      for (let run = 0; run < RUNS; run++) {
        const runId = `run-${writer}-${run}`;
        const events = Array.from({ length: BATCH }, (_, n) =>
          newEvent({ runId, eventType: "StepStarted", stepId: `s${batch * BATCH + n}`, planVersion: "1" }),
        );
        acknowledged += (await recorded.store.appendEvents(events)).length;
      }
    return acknowledged;
  };
  const counts = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const total = WRITERS * RUNS * BATCHES * BATCH;
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(total);
  await until(async () => (await ledger.subscriptions.get("hook"))!.failures > 0);
  expect(receiver.events).toEqual([]);
  expect(await ledger.subscriptions.status("hook")).toMatchObject({ pendingRuns: WRITERS * RUNS, deadLetters: 0 });

  await receiver.start();
  await until(async () => (await ledger.subscriptions.status("hook")).pendingRuns === 0);
  const history = await recorded.finish();
  expect(checkHistory({ ...history, published: receiver.published }).violations).toEqual([]);
  expect(new Set(receiver.published.map(({ eventId }) => eventId)).size).toBe(total);
});
