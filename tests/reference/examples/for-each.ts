import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";

const tables = workflow("tables", { version: "1" }, (w) => {
  const list = w.step("list", () => ["orders", "items", "users"]);
  const copies = w.forEach("copy", { needs: { list }, items: ({ needs }) => needs.list, concurrency: 2 }, (each) =>
    each.step("table", ({ item, index }) => `${index} ${item}`),
  );
  return w.step("sum", { needs: { copies } }, async ({ needs }) => ({
    count: needs.copies.count,
    all: await needs.copies.toArray(),
  }));
});

await using ledger = await testLedger({ workflows: [tables] });
assert.deepEqual(await (await ledger.start(tables)).result(), { count: 3, all: ["0 orders", "1 items", "2 users"] });
