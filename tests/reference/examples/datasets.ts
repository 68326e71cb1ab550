import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const totals = workflow("totals", { version: "1" }, (w) =>
  w.step(
    "load",
    { datasets: { reads: ["shop.orders"], writes: [{ name: "shop.totals", freshFor: "1d" }] } },
    ({ datasets }) => {
      datasets.read({ name: "rates.csv", namespace: "s3://bank" }); // found while it runs
      datasets.wrote({ name: "shop.totals", rows: 1200 });
    },
  ),
);

await using ledger = await testLedger({ workflows: [totals] });
const run = await ledger.start(totals);
await run.result();
const { eventData } = (await run.events()).find(({ eventType }) => eventType === "StepCompleted")!;
assert.deepEqual((eventData as { datasets: unknown }).datasets, {
  reads: [{ name: "shop.orders" }, { name: "rates.csv", namespace: "s3://bank" }],
  writes: [{ name: "shop.totals", freshForMs: 86_400_000, rows: 1200 }],
});
