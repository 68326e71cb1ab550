/** Records the examples. */
import { testLedger, type TestLedger } from "runledger/testing";
import { crashMe } from "../../../examples/crash-me/src/workflow.js";
import { nightlyOrders } from "../../../examples/nightly-orders/src/workflows/nightly-orders.js";

export const examples: Readonly<Record<string, () => Promise<TestLedger>>> = {
  "example-nightly-orders": async () => {
    const ledger = await testLedger({ workflows: [nightlyOrders] });
    const run = await ledger.start(nightlyOrders, { input: { day: "2026-11-14" } });
    await run.act("APPROVE", { by: "ops" });
    await ledger.advance("1m");
    await run.signal("release", { by: "you" });
    await run.ended();
    return ledger;
  },

  "example-crash-me": async () => {
    const ledger = await testLedger({ workflows: [crashMe] });
    ledger.crash({ nth: 2, when: "after" });
    const run = await ledger.start(crashMe, { input: { stepMs: 1 } });
    await ledger.advance("1m");
    await run.signal("finish", { by: "you" });
    await run.ended();
    return ledger;
  },
};
