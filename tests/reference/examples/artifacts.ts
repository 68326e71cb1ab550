import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const dump = workflow("dump", { version: "1" }, (w) => {
  const rows = w.step("write", async ({ artifact, secrets }) => {
    await secrets.get("db-password"); // redacted from events, errors and logs
    return artifact.write("rows", "1,2,3\n".repeat(100_000)); // the output is a reference
  });
  return w.step("read", { needs: { rows } }, async ({ needs, artifact }) => {
    const bytes = await artifact.read(needs.rows).bytes();
    const text = await artifact.read(needs.rows).text();
    return { size: bytes.length, start: text.slice(0, 5) };
  });
});

const secrets = { resolve: async () => ({ "db-password": "correct horse" }) };
await using ledger = await testLedger({ workflows: [dump], secrets });
assert.deepEqual(await (await ledger.start(dump)).result(), { size: 600_000, start: "1,2,3" });
