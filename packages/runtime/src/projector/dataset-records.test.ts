/** Projectors record which datasets completed steps have read and written. */
import { newEvent } from "@runledger/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { query } from "@runledger/test-support/databases";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type Ledger } from "../index.js";
import { rebuild } from "./rebuild.js";

let database: FreshDatabase;
let ledger: Ledger;
beforeEach(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
});
afterEach(async () => {
  await ledger.close();
  await database.drop();
});

const load = workflow("load", { version: "1" }, (w) => {
  const orders = w.step("orders", { datasets: { writes: [{ name: "shop.orders", freshFor: "1h" }] } }, ({ datasets }) =>
    datasets.wrote({ name: "shop.orders", rows: 7 }),
  );
  return w.step("totals", { after: [orders], datasets: { reads: ["shop.orders"], writes: ["shop.totals"] } }, () => 1);
});
const orders = { tenantId: "acme", namespace: "runledger", name: "shop.orders" };

async function runLoad(): Promise<string> {
  const worker = await ledger.worker({ workflows: [load] });
  const projector = ledger.projector();
  const run = await ledger.start(load, { tenantId: "acme" });
  await run.result();
  await until(async () => (await ledger.store.datasets!.listWrites(orders)).some(({ runId }) => runId === run.id));
  await until(async () => (await ledger.store.datasets!.listDatasets({ tenantId: "acme" })).length === 2);
  await Promise.all([worker.stop(), projector.stop()]);
  return run.id;
}

test("the index names the run and step that wrote a dataset last, and the steps that read it", async () => {
  await runLoad();
  const runId = await runLoad();
  const uses = await ledger.store.datasets!.usesOf(orders);
  expect(uses).toEqual([
    expect.objectContaining({ access: "read", stepId: "totals", runId, planId: "load" }),
    expect.objectContaining({
      access: "write",
      stepId: "orders",
      runId,
      details: { rows: 7, freshForMs: 3_600_000 },
    }),
  ]);
  expect(await ledger.store.datasets!.listWrites(orders)).toHaveLength(2);
  expect(await ledger.store.datasets!.listDatasets({ tenantId: "default" })).toEqual([]);
});

test("a rebuild restores the index from the log", async () => {
  await runLoad();
  const before = await ledger.store.datasets!.usesOf(orders);
  await query(database.url, "TRUNCATE runledger.dataset_uses, runledger.dataset_writes");
  for await (const { damaged } of rebuild(ledger.store)) expect(damaged).toBe(false);
  expect(await ledger.store.datasets!.usesOf(orders)).toEqual(before);
  expect(await ledger.store.datasets!.listWrites(orders)).toHaveLength(1);
});

test("a fork does not write again what it has kept", async () => {
  const runId = await runLoad();
  await ledger.worker({ workflows: [load] });
  ledger.projector();
  const fork = await ledger.fork(runId, { from: "totals" });
  await fork.result();
  const totals = { ...orders, name: "shop.totals" };
  await until(async () => (await ledger.store.datasets!.listWrites(totals)).length === 2);
  expect(await ledger.store.datasets!.listWrites(orders)).toHaveLength(1);
});

test.each([{ reads: null }, { writes: "x" }, { writes: [{ name: 7 }] }])(
  "a run is projected although another engine recorded the datasets %j",
  async (datasets) => {
    const of = { runId: "foreign", planVersion: "1" };
    const step = { ...of, stepId: "a" };
    await ledger.store.appendEvents([
      newEvent({ ...of, eventType: "RunStarted" }),
      newEvent({ ...step, eventType: "StepStarted" }),
      newEvent({ ...step, eventType: "StepCompleted", eventData: { datasets } }),
    ]);
    ledger.projector();
    await until(async () => (await ledger.store.snapshots.readProjection({ runId: "foreign", stepIds: [] })) !== null);
    expect(await ledger.store.datasets!.listDatasets({ tenantId: "default" })).toEqual([]);
  },
);
