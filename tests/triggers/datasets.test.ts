// @module-tag D-31
/** A trigger starts a run for each write of a dataset, although processes crash. */
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect, workflow } from "runledger";
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

test("each write starts one run although processes are killed before and after the start", async () => {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  await ledger.worker({ workflows: [load, report] });
  const source = { type: "dataset", name: "shop.orders" };
  const trigger = { id: "orders", source, workflow: "report", input: '{"n": event.data.rows}', from: "beginning" };
  await ledger.triggers.put(trigger);
  await ledger.triggers.put({ ...trigger, tenantId: "other" }); // sees no writes of this tenant
  const start = (...args: readonly string[]) =>
    startProgram({ cwd: process.cwd() }, "tests/triggers/dataset-program.mjs", database.url, ...args);
  const killed = [start("run-started", "1"), start("event-received", "2"), start("folded", "1")];
  await Promise.all(killed.map((each) => each.says(/^ready$/m)));
  for (let n = 0; n < WRITES; n++) await (await ledger.start(load, { input: { n } })).result();
  expect((await Promise.race(killed.map(({ ended }) => ended))).signal).toBe("SIGKILL");
  const survivor = start();
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
  expect(checkHistory(await recordHistory(ledger.store).finish()).violations).toEqual([]);
});
