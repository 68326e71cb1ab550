import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const told: string[] = [];

const fragile = workflow("fragile", { version: "1" }, (w) => {
  w.step("work", () => {
    throw new Error("the disk is full");
  });
  w.onFailure({ retry: { attempts: 3 }, timeout: "1m" }, ({ error, culprit }) => {
    told.push(`${culprit}: ${error.message}`);
  });
});

await using ledger = await testLedger({ workflows: [fragile] });
await (await ledger.start(fragile)).ended();
assert.deepEqual(told, ["work: the disk is full"]);
