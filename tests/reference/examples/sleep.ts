import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const reminder = workflow("reminder", { version: "1" }, (w) => {
  const pause = w.sleep("pause", { for: "2h" });
  const noon = w.sleep("noon", { after: [pause], until: () => "2026-01-02T12:00:00.000Z" });
  return w.step("send", { after: [noon] }, () => "sent");
});

await using ledger = await testLedger({ workflows: [reminder], now: "2026-01-01T00:00:00.000Z" });
assert.equal(await (await ledger.start(reminder)).result(), "sent");
assert.equal(ledger.now().toISOString(), "2026-01-02T12:00:00.000Z");
