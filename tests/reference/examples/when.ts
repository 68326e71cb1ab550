import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";
import { z } from "zod";

const ship = workflow("ship", { version: "1", input: z.object({ amount: z.number() }) }, (w) => {
  const checked = w.when(
    "large",
    { if: ({ input }) => input.amount > 100 },
    (branch) => branch.step("review", () => "reviewed"),
    (branch) => branch.step("accept", () => "accepted"),
  );
  return w.step("send", { needs: { checked } }, ({ needs }) => needs.checked);
});

await using ledger = await testLedger({ workflows: [ship] });
assert.equal(await (await ledger.start(ship, { input: { amount: 500 } })).result(), "reviewed");
assert.equal(await (await ledger.start(ship, { input: { amount: 5 } })).result(), "accepted");
