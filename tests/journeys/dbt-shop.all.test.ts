// @module-tag D-20
// @module-tag D-21
/** examples/dbt-shop: a worker is killed with -9 while dbt runs, and another one runs only what had not finished. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dbtProgram, requireDbt } from "@runledger/test-support/dbt";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder, startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect, type CanonicalEngineEvent } from "runledger";
import { expect, test } from "vitest";

/** Returns the processes that a step of this run has started. */
function processesOf(runId: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`RUNLEDGER_RUN_ID=${runId}`);
    } catch {
      return false; // it is gone
    }
  });
}

function nodesWith(events: readonly CanonicalEngineEvent[], eventType: string): readonly string[] {
  return events.flatMap((event) =>
    event.eventType === eventType && event.stepId?.startsWith("build/") === true ? [event.stepId] : [],
  );
}

describeWith("examples/dbt-shop", requireDbt, () => {
  test("a killed worker takes dbt with it, and the next one runs only the missing nodes", async () => {
    const cwd = freshFolder();
    const env = { RUNLEDGER_DBT: await dbtProgram() };
    const start = () => startProgram({ cwd, env }, "examples/dbt-shop/dist/main.js", join(cwd, "data"), "milestone");
    const first = start();
    const runId = await first.says(/run_\w+/);
    await first.says("StepStarted    build/model.shop.order_lines");
    expect(processesOf(runId).length).toBeGreaterThan(0);
    first.kill("SIGKILL");
    await until(() => processesOf(runId).length === 0);

    const second = start();
    expect(await second.ended, second.output).toEqual({ code: 0, signal: null });
    await using ledger = await connect(`embedded:${join(cwd, "data")}`);
    const events = await ledger.store.fetchEvents(runId);
    const takeOver = events.findIndex(({ eventType }) => eventType === "RunTakenOver");
    expect(takeOver).toBeGreaterThan(0);
    const [before, after] = [events.slice(0, takeOver), events.slice(takeOver)];
    const done = nodesWith(before, "StepCompleted");
    expect(done.length).toBeGreaterThanOrEqual(8); // at least everything above order_lines
    expect(nodesWith(after, "StepStarted").filter((stepId) => done.includes(stepId))).toEqual([]);
    const completed = nodesWith(events, "StepCompleted");
    expect(new Set(completed).size).toBe(27);
    expect(completed).toHaveLength(27); // each exactly once
    const { steps, status } = await ledger.store.projectSnapshot(runId);
    expect(status).toBe("COMPLETED");
    expect(steps.filter((step) => step.status === "SUCCESS")).toHaveLength(28);
    expect(steps.find(({ stepId }) => stepId === "build/model.shop.order_lines")).toMatchObject({
      logicalAttemptId: "1",
      engineAttemptId: "2",
    });
  });

  test("npm run example:dbt tells that story", async () => {
    const cwd = freshFolder();
    const env = { RUNLEDGER_DBT: await dbtProgram() };
    const story = startProgram({ cwd, env }, "examples/dbt-shop/dist/story.js", join(cwd, "data"));
    expect(await story.ended, story.output).toEqual({ code: 0, signal: null });
    expect(story.output).toMatch(/kill -9 (\d+)[\s\S]*RunTakenOver[\s\S]*done: 27[\s\S]*Next {2}show it/);
  });
});
