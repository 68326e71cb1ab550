/** A store that went back under a worker: the worker reports it and resumes the run from the events that are left (F9). */
import { workflow } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { NewEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import type { AnyWorkflow } from "../workflow/types.js";

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** Removes the events above `seq`, as if they had not been replicated. */
async function loseAfter(runId: string, seq: number): Promise<void> {
  const where = `run_id = '${runId}' AND run_seq > ${seq}`;
  await query(database.url, `DELETE FROM runledger.run_events WHERE ${where}`);
  await query(database.url, `UPDATE runledger.run_heads SET head_seq = ${seq} WHERE run_id = '${runId}'`);
}

/** A worker whose store loses everything after the second event, just before the worker's first call of this name. */
async function workerThatLoses(flow: AnyWorkflow, callName: string, isDue: (args: readonly unknown[]) => boolean) {
  const opened = await PostgresStore.open({ url: database.url });
  const [alerts, lost] = [[] as string[], new Set<string>()];
  const store = interceptStore(opened, async ({ name, args, proceed }) => {
    if (name === callName && lost.size === 0 && isDue(args)) {
      const runId = (
        callName === "appendEvents" ? (args[0] as { runId: string }[])[0]! : (args[0] as { runId: string })
      ).runId;
      lost.add(runId);
      await loseAfter(runId, 2);
    }
    return proceed();
  });
  const ledger = new Ledger(store, () => opened.close());
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [flow], onAlert: ({ code, runId }) => alerts.push(`${code} ${runId}`) });
  return { ledger, alerts };
}

async function isWhole(ledger: Ledger, runId: string): Promise<void> {
  await until(async () => (await ledger.store.projectSnapshot(runId)).status === "COMPLETED");
  const events = await ledger.store.fetchEvents(runId);
  expect(events.map(({ runSeq }) => runSeq)).toEqual(events.map((_, index) => index + 1));
}

test("a worker that appends after its events were lost reports it and resumes the run", async () => {
  let calls = 0;
  const flow = workflow("appends", { version: "1" }, (w) => {
    const first = w.step("first", () => ++calls);
    return w.step("second", { needs: { first } }, ({ needs }) => needs.first);
  });
  const completesSecond = ([events]: readonly unknown[]): boolean =>
    (events as NewEvent[]).some(({ stepId, eventType }) => stepId === "second" && eventType === "StepCompleted");
  const { ledger, alerts } = await workerThatLoses(flow, "appendEvents", completesSecond);
  const run = await ledger.start(flow);
  await isWhole(ledger, run.id);
  expect(alerts).toContain(`EVENTS_LOST ${run.id}`);
  expect(calls).toBe(2); // its first result was lost
});

test("a worker that parks after its events were lost reports it and resumes the run", async () => {
  const flow = workflow("parks", { version: "1" }, (w) => {
    const first = w.step("first", () => 1);
    return w.waitForSignal("go", { after: [first] });
  });
  const { ledger, alerts } = await workerThatLoses(flow, "queue.parkRun", () => true);
  const run = await ledger.start(flow);
  await until(() => alerts.length > 0);
  await ledger.signal(run.id, "go", {});
  await isWhole(ledger, run.id);
  expect(alerts).toEqual([`EVENTS_LOST ${run.id}`]);
});
