import assert from "node:assert/strict";
import { connect } from "runledger";

await using ledger = await connect("memory:");
await ledger.retention.set({ archiveAfter: "30d", deleteAfter: "365d" });
await ledger.retention.set({ tenantId: "acme", workflowId: "orders", deleteAfter: "3650d" });
assert.equal((await ledger.retention.list()).length, 2);
assert.deepEqual(await ledger.retention.report(), []); // no run is due

const cleaner = ledger.cleaner({ everyMs: 60_000 });
await cleaner.stop();

const { erased, open } = await ledger.erasure.label({ customer: "17" }, { reason: "request 4711", by: "ops" });
assert.deepEqual([erased, open], [[], []]); // no run has the label
await assert.rejects(ledger.erasure.run("run_1", { reason: "request 4711" }), { code: "RUN_NOT_FOUND" });
