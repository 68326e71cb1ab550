// @module-tag D-31
/** A trigger starts a run for each write of a dataset, although processes crash. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const WRITES = 12;
const input = z.object({ n: z.number() });
const load = workflow("load", { version: "1", input }, (w) =>
  w.step("orders", { datasets: { writes: ["shop.orders"] } }, ({ input: { n }, datasets }) =>
    datasets.wrote({ name: "shop.orders", rows: n }),
  ),
);
const report = workflow("report", { version: "1", input }, (w) =>
  w.step("read", { datasets: { reads: ["shop.orders"] } }, ({ input: { n } }) => n),
);

/** A ledger whose calls are recorded in a file of the folder, as those of the other processes are. */
async function recordedLedger(url: string, folder: string): Promise<Ledger> {
  const recorder = new HistoryRecorder({
    clock: () => Number(process.hrtime.bigint()),
    onOperation: (operation) => appendFileSync(join(folder, "test"), `${JSON.stringify(operation)}\n`),
  });
  const store = await PostgresStore.open({ url });
  const recording = recorder.recording("test", (call) => call.proceed());
  return new Ledger(interceptStore(store, recording), () => store.close());
}

function operationsIn(folder: string): Operation[] {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

test("each write starts one run although processes are killed before and after the start", async () => {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "runledger-datasets-"));
  const ledger = await recordedLedger(database.url, folder);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const worker = await ledger.worker({ workflows: [load, report] });
  const source = { type: "dataset", name: "shop.orders" };
  const trigger = { id: "orders", source, workflow: "report", input: '{"n": event.data.rows}', from: "beginning" };
  await ledger.triggers.put(trigger);
  await ledger.triggers.put({ ...trigger, tenantId: "other" }); // sees no writes of this tenant
  const start = (name: string, ...args: readonly string[]) => {
    const file = join(folder, name);
    return startProgram(
      { cwd: process.cwd() },
      "tests/triggers/dataset-program.mjs",
      database.url,
      name,
      file,
      ...args,
    );
  };
  const mortal = [start("a", "run-started", "1"), start("b", "event-received", "2"), start("c", "folded", "1")];
  await Promise.all(mortal.map((each) => each.says(/^ready$/m)));
  for (let n = 0; n < WRITES; n++) await (await ledger.start(load, { input: { n } })).result();
  expect((await Promise.race(mortal.map(({ ended }) => ended))).signal).toBe("SIGKILL");
  const survivor = start("d");
  const runs = async () => (await ledger.list({ workflow: "report" }).page({ limit: 100 })).runs;
  await until(async () => (await runs()).length === WRITES);
  await until(async () => (await runs()).every(({ status }) => status === "COMPLETED"));
  const orders = { tenantId: "default", namespace: "runledger", name: "shop.orders" };
  const untaken = { ...orders, triggerId: "orders", recordedFrom: "1970-01-01T00:00:00.000Z" };
  await until(async () => (await ledger.store.datasets!.untakenWrites(untaken)).length === 0);
  expect(await ledger.store.datasets!.listWrites({ ...orders, limit: 100 })).toHaveLength(WRITES);
  const started = await Promise.all((await runs()).map(({ runId }) => ledger.store.fetchEvents(runId)));
  const numbers = started.map(([first]) => (first!.eventData as { input: { n: number } }).input.n);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: WRITES }, (_, n) => n));
  expect((await ledger.list({ tenantId: "other" }).page({ limit: 100 })).runs).toEqual([]);
  survivor.kill("SIGTERM");
  await survivor.ended;
  await worker.stop();
  const history = mergeHistories([{ operations: operationsIn(folder) }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
});
