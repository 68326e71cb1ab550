import assert from "node:assert/strict";
import { test } from "node:test";
import { testLedger } from "runledger/testing";
import { welcome } from "./welcome.js";

void test("welcome waits for a confirmation and then replies", async () => {
  const ledger = await testLedger({ workflows: [welcome] });
  const run = await ledger.start(welcome, { input: { name: "world" } });
  await ledger.advance("2d"); // the test's clock is virtual: this takes milliseconds
  await run.signal("confirm", { by: "you" });
  assert.equal(await run.result(), "Hello, world, says you");
  await ledger.close();
});
