import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const poll = workflow("poll", { version: "1" }, (w) =>
  w.repeat(
    "until-ready",
    { max: 10, delay: "5m" },
    (body) => body.step("ask", ({ iteration }) => ({ ready: iteration === 2, iteration })),
    ({ output }) => output.ready,
  ),
);

await using ledger = await testLedger({ workflows: [poll] });
assert.deepEqual(await (await ledger.start(poll)).result(), { ready: true, iteration: 2 });
