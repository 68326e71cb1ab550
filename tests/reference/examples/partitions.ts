import assert from "node:assert/strict";
import { connect, workflow } from "runledger";

const orders = workflow("orders", { version: "1", partitions: { by: "day", start: "2026-01-01" } }, (w) =>
  w.step("load", ({ partition }) => partition?.key ?? "no day"),
);

await using ledger = await connect("memory:");
await ledger.worker({ workflows: [orders], pollMs: 5 });
const place = { tenantId: "default", projectId: "default", environmentId: "default" };

const partitions = ledger.partitions;
const range = { from: "2026-01-01", to: "2026-01-03" };
const planned = await partitions.backfill(orders, { ...range, dryRun: true, only: "missing", limit: 2, by: "ada" });
assert.deepEqual([planned.items.length, planned.remaining], [2, 1]);
const options = { keys: ["2026-01-02"], force: false, concurrency: 4, priority: 5, input: undefined };
const { items } = await partitions.backfill(orders, { ...place, ...options });
assert.equal(await (await ledger.get(orders, items[0]!.runId!)).result(), "2026-01-02");
assert.deepEqual(
  (await partitions.list(orders, range)).items.map(({ state }) => state),
  ["missing", "succeeded", "missing"],
);
assert.equal((await partitions.read("orders", range)).first, "2026-01-01"); // without a catch-up
