import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, startProgram, startRunledger } from "@runledger/test-support/runledger-command";
import { example, runNightlyOrders } from "./examples.js";

test("examples/hello runs unchanged, and runs again", { tags: ["R-40"] }, async () => {
  const cwd = freshFolder();
  for (const time of ["first", "second"]) {
    const hello = startProgram({ cwd }, "examples/hello/dist/main.js");
    expect({ time, ...(await hello.ended) }, hello.output).toEqual({ time, code: 0, signal: null });
    expect(hello.output).toMatch(/^1 RunQueued[\s\S]*RunCompleted \nHello, world! Ada waved\.\n$/);
  }
});

test("examples/nightly-orders runs unchanged, as TypeScript", () => runNightlyOrders([], {}));

test("examples/plan-yaml runs unchanged, and an error names its line", async () => {
  const { cwd, env } = await example("plan-yaml");
  const warehouse = await freshDatabase();
  onTestFinished(() => warehouse.drop());
  const where = { cwd, env: { ...env, WAREHOUSE: warehouse.url } };
  await startRunledger(where, "worker").says("Workflow  daily-report 1.0.0");
  const run = startRunledger(where, "run", "daily-report", "--input", `{"day":"2026-11-14"}`, "--wait");
  const runId = await run.says(/run_\w+/);
  await run.says(`Next  npx runledger signal ${runId} release`);
  await runledger(where, "signal", runId, "release", `{"by":"you"}`);
  expect(await run.ended, run.output).toEqual({ code: 0, signal: null });
  expect(run.output).toContain(`[{"day":"2026-11-14","cents":6000}]`);

  const refused = await runledger(where, "run", "daily-report", "--input", `{"day":"x; rm -rf /"}`, "--wait");
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/StepFailed +check +COMMAND_FAILED /) as string,
  });

  const file = join(cwd, "workflows/daily-report.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("after: [load]", "after: [laod]"));
  const { code, stderr } = await runledger(where, "run", "daily-report");
  expect({ code, stderr }).toMatchObject({ code: 2 });
  expect(stderr).toMatch(/^error PLAN_UNKNOWN_STEP {2}workflows\/daily-report\.yaml:\d+:\d+, .*laod.*\n$/);
});

test("the story of examples/crash-me: a run is killed, taken over, signaled and completed", async () => {
  const cwd = freshFolder();
  const story = startProgram({ cwd }, "examples/crash-me/dist/story.js", join(cwd, "data"));
  expect(await story.ended, story.output).toEqual({ code: 0, signal: null });
  expect(story.output).toMatch(/kill -9 (\d+)[\s\S]*RunTakenOver[\s\S]*finishedBy: 'the story'[\s\S]*Next {2}show it/);
});
