// @module-tag U-10
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { testServer } from "@runledger/test-support/test-server";

const counted = workflow("counted", { version: "1", input: z.object({ rows: z.number() }) }, (w) =>
  w.step("one", ({ input }) => input.rows),
);
const good = (rows: number) => ({ workflow: "counted", input: { rows }, requestId: `request-${rows}` });

test("many runs start in one request, and each start has its own outcome", async () => {
  const { client, ledger } = await testServer([counted]);
  const changed = { ...good(1), input: { rows: 9 } };
  const wrong = { workflow: "counted", input: { rows: "many" } };
  const starts = [good(1), { workflow: "unknown" }, good(2), wrong, good(1)];
  const { outcomes } = await client.startRuns({ starts });
  expect(outcomes).toMatchObject([
    { run: { workflow: "counted", version: "1" } },
    { problem: { code: "WORKFLOW_NOT_FOUND", status: 404 } },
    { run: { created: true, admission: "QUEUE" } }, // no worker runs it
    { problem: { code: "SCHEMA_MISMATCH", status: 400 } },
    { run: { runId: outcomes[0]!.run!.runId } },
  ]);
  const again = await client.startRuns({ starts: [good(2), changed] });
  expect(again.outcomes).toMatchObject([
    { run: { runId: outcomes[2]!.run!.runId, created: false } },
    { problem: { code: "REQUEST_CHANGED", status: 409 } },
  ]);
  expect(await ledger.store.listHeads()).toHaveLength(2);
});

test("no run starts if one of the starts is invalid, or if there are too many", async () => {
  const { call, ledger } = await testServer([counted]);
  for (const [starts, field] of [
    [[], "body.starts"],
    [Array.from({ length: 101 }, (_, rows) => good(rows)), "body.starts"],
    [[good(1), { ...good(2), priority: "high" }], "body.starts.1.priority"],
  ] as const) {
    const response = await call("POST", "/runs/starts", { starts });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "REQUEST_INVALID", field }]);
  }
  expect(await ledger.store.listHeads()).toEqual([]);
});

test("a fault in one start is logged and hidden from the caller", async () => {
  const { client, ledger, log } = await testServer([counted]);
  const start = ledger.store.queue.startRun;
  let calls = 0;
  const failing: typeof start = (params) => (++calls === 1 ? Promise.reject(new TypeError("hunter2")) : start(params));
  Object.assign(ledger.store.queue, { startRun: failing });
  const { outcomes } = await client.startRuns({ starts: [good(1), good(2)] });
  expect(outcomes).toMatchObject([{ problem: { code: "SERVER_FAULT", status: 500 } }, { run: { created: true } }]);
  expect(JSON.stringify(outcomes)).not.toContain("hunter2");
  expect(log).toMatchObject([{ level: "error", error: { message: "hunter2" } }]);
});
