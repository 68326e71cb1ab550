// @module-tag D-33
/** Calls of `runledger mcp` that make no sense. */
import { expect, test } from "vitest";
import { failedRun, place } from "./place.js";

test("nonsense is refused with a stable code, and the server stays", async () => {
  const { mcp, successId, ledger } = await place();
  const invalid = { code: "REQUEST_INVALID", family: "fix-input" };
  for (const [name, args] of [
    ["list_runs", { limit: 0 }],
    ["list_runs", { limit: 1e9 }],
    ["list_runs", { status: ["DONE"] }],
    ["list_runs", { since: "yesterday" }],
    ["list_runs", { surprise: true }],
    ["explain_run", {}],
    ["explain_run", { run_id: 7 }],
    ["explain_run", { run_id: "x".repeat(5_000) }],
    ["diff_runs", { run_id: successId }],
    ["retry_run", { run_id: successId, confirmation: ["confirm_"] }],
  ] as const)
    expect(await mcp.refusal(name, args), JSON.stringify(args).slice(0, 80)).toMatchObject(invalid);
  expect(await mcp.refusal("explain_run", { run_id: "run_unknown" })).toMatchObject({ code: "RUN_NOT_FOUND" });
  expect(await mcp.refusal("cancel_run", { run_id: "'; DROP TABLE runs" })).toMatchObject({ family: "fix-input" });
  expect(await mcp.refusal("list_runs", { cursor: "garbage" })).toMatchObject({ family: "fix-input" });
  const runId = await failedRun(ledger);
  expect(await mcp.refusal("retry_run", { run_id: runId, step_id: "nowhere" })).toMatchObject({ family: "fix-input" });
  await expect(mcp.call("drop_runs")).rejects.toThrow("no tool of this name");
  expect((await mcp.call("list_runs")).runs).toHaveLength(2);
});
