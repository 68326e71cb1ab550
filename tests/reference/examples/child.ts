import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";
import { z } from "zod";

const copy = workflow("copy", { version: "1", input: z.object({ table: z.string() }) }, (w) =>
  w.step("copy", ({ input }) => `${input.table} copied`),
);
const nightly = workflow("nightly", { version: "1" }, (w) => {
  const orders = w.child("orders", copy, { input: () => ({ table: "orders" }) });
  return w.step("end", { needs: { orders } }, ({ needs }) => needs.orders);
});

await using ledger = await testLedger({ workflows: [nightly, copy] }); // the worker needs both
assert.equal(await (await ledger.start(nightly)).result(), "orders copied");
