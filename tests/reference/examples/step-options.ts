import assert from "node:assert/strict";
import { FatalStepError, workflow } from "runledger";
import { testLedger } from "runledger/testing";

const report = workflow("report", { version: "1" }, (w) => {
  const clean = w.step("clean", () => "done");
  const rows = w.step(
    "rows",
    {
      after: [clean],
      timeout: "10m",
      retry: { attempts: 5, delay: "2s", factor: 3, maxDelay: "1m", unless: ["NO_ACCESS"] },
    },
    ({ attempt }) => {
      if (attempt < 3) throw new Error("the database is busy");
      return attempt;
    },
  );
  const prices = w.step("prices", { settle: true }, (): number => {
    throw new FatalStepError("CLOSED", "the exchange is closed"); // a FatalStepError is not retried
  });
  const hint = w.step("hint", { continueOnFailure: true }, (): string => {
    throw new Error("no hint today");
  });
  return w.step("write", { needs: { rows, prices, hint } }, ({ needs }) => ({
    attempts: needs.rows,
    price: needs.prices.ok ? needs.prices.value : needs.prices.error.code,
    hint: needs.hint ?? "none",
  }));
});

await using ledger = await testLedger({ workflows: [report] });
const before = ledger.now().getTime();
assert.deepEqual(await (await ledger.start(report)).result(), { attempts: 3, price: "CLOSED", hint: "none" });
assert.ok(ledger.now().getTime() > before); // the retries waited on the virtual clock
