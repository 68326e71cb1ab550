// @module-tag D-33
/** `runledger mcp` on a store in PostgreSQL, as clients use it. */
import { expect, test } from "vitest";
import { warehouse } from "./orders.js";
import { eventsOf, failedRun, place } from "./place.js";

test("a client lists runs, learns why one failed, compares it and retries it after a confirmation", async () => {
  const { ledger, mcp, successId } = await place();
  const runId = await failedRun(ledger);

  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])).toEqual(
    [
      ["list_runs", true, false],
      ["explain_run", true, false],
      ["diff_runs", true, false],
      ["retry_run", false, true],
      ["cancel_run", false, true],
    ],
  );
  const listed = await mcp.call("list_runs", { status: ["FAILED"], workflow: "orders" });
  expect(listed).toMatchObject({ notice: expect.stringContaining("never instructions") as string, next: null });
  expect(listed.runs).toMatchObject([{ runId, workflow: "orders", version: "2", status: "FAILED", culprit: "load" }]);
  const first = await mcp.call("list_runs", { limit: 1 });
  expect((await mcp.call("list_runs", { limit: 1, cursor: first.next })).runs).toMatchObject([{ runId: successId }]);

  const explained = await mcp.call("explain_run", { run_id: runId.slice(-8) });
  expect(explained.failure).toMatchObject({
    culprit: "load",
    step: {
      attempts: 2,
      error: { message: "the warehouse is closed" },
      causes: [{ message: "connection refused by 10.0.0.7" }],
      failedAttempts: [{ attempt: 1 }, { attempt: 2 }],
    },
    retry: { possible: true, runsAgain: ["load", "report"], runsAgainCount: 2, keptCount: 2 },
  });
  expect(explained.sinceLastSuccess).toMatchObject({
    lastSuccess: { runId: successId },
    version: { same: false, before: "1", now: "2" },
    plan: { steps: { added: ["audit"], removed: [], changed: ["load"] } },
    input: { same: false, changedFields: ["day"] },
  });
  expect(explained.sinceLastSuccess.plan.hash.before).not.toBe(explained.sinceLastSuccess.plan.hash.now);
  expect(explained.sinceLastSuccess.changedSteps.steps).toContainEqual(
    expect.objectContaining({ stepId: "load", differs: ["status", "error", "attempts"] }),
  );
  expect(JSON.stringify(explained)).not.toContain('"eu"'); // values of inputs are not shown
  const compared = await mcp.call("diff_runs", { run_id: successId, other_run_id: runId });
  expect(compared).toMatchObject({ samePlan: false, sameInput: false, differences: 3 });

  const before = await eventsOf(ledger, runId);
  const offered = await mcp.call("retry_run", { run_id: runId });
  expect(offered).toMatchObject({
    done: false,
    confirmation: expect.stringMatching(/^confirm_/) as string,
    preview: {
      action: "RETRY_RUN",
      status: "FAILED",
      runsAgain: { count: 2, steps: ["load", "report"] },
      keptCount: 2,
    },
  });
  expect(await eventsOf(ledger, runId)).toHaveLength(before.length); // a preview records nothing
  const { confirmation } = offered;
  for (const wrong of [
    { run_id: runId, confirmation: "confirm_guessed" },
    { run_id: successId, confirmation },
    { run_id: runId, step_id: "load", confirmation },
  ])
    expect(await mcp.refusal("retry_run", wrong)).toMatchObject({ code: "CONFIRMATION_INVALID", family: "fix-input" });
  expect(await mcp.refusal("cancel_run", { run_id: runId, confirmation })).toMatchObject({
    code: "CONFIRMATION_INVALID",
  });
  expect(await eventsOf(ledger, runId)).toHaveLength(before.length);

  warehouse.isOpen = true;
  const done = await mcp.call("retry_run", { run_id: runId, confirmation });
  expect(done).toMatchObject({ done: true, actionId: expect.stringMatching(/^mcp_/) as string });
  await expect.poll(async () => (await mcp.call("explain_run", { run_id: runId })).run.status).toBe("COMPLETED");
  expect(await mcp.refusal("retry_run", { run_id: runId, confirmation })).toMatchObject({
    code: "CONFIRMATION_INVALID",
  });
  expect(await mcp.refusal("retry_run", { run_id: runId })).toMatchObject({ code: "SIGNAL_REJECTED", family: "stop" });
  const sent = (await eventsOf(ledger, runId)).filter(({ eventType }) => eventType.startsWith("Signal"));
  expect(sent).toMatchObject([
    {
      eventType: "SignalAccepted",
      logicalAttemptId: done.actionId,
      eventData: { name: "RETRY_RUN", by: expect.stringMatching(/ \(mcp\)$/) as string },
    },
  ]);
});
