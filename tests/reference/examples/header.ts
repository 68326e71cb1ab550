import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";
import { z } from "zod";

const order = workflow(
  "order",
  {
    version: "1.0.0",
    input: z.object({ item: z.string() }),
    signals: { paid: z.object({ amount: z.number() }) },
    state: { schema: z.object({ steps: z.number() }), initial: { steps: 0 } },
    deadline: "3d",
    approval: true,
    partitions: { by: "key", keys: ["north", "south"] },
    visibility: { tenants: ["default"] },
    compensateOn: ["cancel", "failure"],
  },
  (w) => {
    const paid = w.waitForSignal("paid");
    return w.step("ship", { needs: { paid } }, ({ input, needs }) => `${input.item} for ${needs.paid.amount}`);
  },
);

await using ledger = await testLedger({ workflows: [order] });
const run = await ledger.start(order, { input: { item: "book" } });
await run.act("APPROVE");
await run.signal("paid", { amount: 12 });
assert.equal(await run.result(), "book for 12");

const late = await ledger.start(order, { input: { item: "pen" } });
await late.act("APPROVE");
await ledger.advance("4d");
assert.equal((await late.snapshot()).status, "FAILED"); // the deadline has expired
