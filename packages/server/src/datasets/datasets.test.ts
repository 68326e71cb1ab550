// @module-tag D-31
/** Datasets over HTTP: the last write, freshness, and the datasets before and after. */
import { workflow } from "@runledger/runtime";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const SLASHES = { name: "in/orders.csv", namespace: "s3://shop" };
const flow = workflow("load", { version: "1" }, (w) => {
  const orders = w.step(
    "orders",
    { datasets: { reads: [SLASHES], writes: [{ name: "shop.orders", freshFor: "1h" }] } },
    ({ datasets }) => datasets.wrote({ name: "shop.orders", rows: 7, fields: [{ name: "id", type: "int" }] }),
  );
  const old = { name: "shop.old", freshFor: "1ms" } as const;
  return w.step(
    "totals",
    { after: [orders], datasets: { reads: ["shop.orders"], writes: ["shop.totals", old] } },
    () => 1,
  );
});

async function served() {
  const world = await testServer([flow]);
  const { ledger } = world;
  await ledger.worker({ workflows: [flow], pollMs: 5 });
  ledger.projector({ pollMs: 5 });
  const run = await ledger.start(flow);
  await run.result();
  await until(async () => (await ledger.datasets.list()).length === 4);
  return { ...world, runId: run.id };
}

test("the list has each dataset with its last write and freshness", async () => {
  const { client, runId } = await served();
  const { items, next } = await client.listDatasets();
  const short = items.map(({ name, freshness, lastWrite }) => [name, freshness, lastWrite?.stepId ?? null]);
  expect([short, next]).toEqual([
    [
      ["shop.old", "stale", "totals"],
      ["shop.orders", "fresh", "orders"],
      ["shop.totals", "no-policy", "totals"],
      [SLASHES.name, "never-written", null],
    ],
    null,
  ]);
  expect(items[1]!.lastWrite).toMatchObject({ runId, planId: "load", attempt: "1", rows: 7 });
  const first = await client.listDatasets({ limit: 3 });
  expect((await client.listDatasets({ after: first.next! })).items.map(({ name }) => name)).toEqual([SLASHES.name]);
  expect((await client.listDatasets({ text: "TOT" })).items.map(({ name }) => name)).toEqual(["shop.totals"]);
});

test("a dataset leads to its writers and readers, and to the datasets before and after it", async () => {
  const { client, runId } = await served();
  const found = await client.getDataset({ name: "shop.orders" });
  expect(found).toMatchObject({
    namespace: "runledger",
    freshForMs: 3_600_000,
    fields: [{ name: "id", type: "int" }],
    writers: [{ planId: "load", stepId: "orders", runId, rows: 7 }],
    readers: [{ planId: "load", stepId: "totals", runId }],
    upstream: [{ ...SLASHES, steps: [{ planId: "load", stepId: "orders" }] }],
    writes: [{ runId, attempt: "1" }],
  });
  expect(found.downstream.map(({ name }) => name)).toEqual(["shop.old", "shop.totals"]);
  const source = await client.getDataset(SLASHES);
  expect([source.upstream, source.downstream.map(({ name }) => name)]).toEqual([[], ["shop.orders"]]);
});

test("another tenant finds nothing, and bad requests are refused", async () => {
  const { call, ledger } = await served();
  const params = { name: "other", role: "viewer", tenantId: "other", ttlMs: null, createdBy: "test" } as const;
  const headers = { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
  expect(await (await call("GET", "/datasets", undefined, headers)).json()).toEqual({ items: [], next: null });
  const codeOf = async (path: string, more = {}) => {
    const response = await call("GET", path, undefined, more);
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  expect(await codeOf("/dataset?name=shop.orders", headers)).toEqual([404, "DATASET_NOT_FOUND"]);
  expect(await codeOf("/dataset?name=shop.orders&namespace=else")).toEqual([404, "DATASET_NOT_FOUND"]);
  expect(await codeOf("/dataset")).toEqual([400, "REQUEST_INVALID"]);
  expect(await codeOf("/datasets?after=x")).toEqual([400, "REQUEST_INVALID"]);
});
