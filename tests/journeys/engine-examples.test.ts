import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "../support/fresh-database.js";
import { freshFolder, runledger, startProgram, startRunledger, type Where } from "../support/runledger-command.js";

test("examples/hello runs as it stands", async () => {
  const hello = startProgram({ cwd: freshFolder() }, "examples/hello/dist/main.js");
  expect(await hello.ended, hello.output).toEqual({ code: 0, signal: null });
  expect(hello.output).toMatch(/^1 RunQueued[\s\S]*RunCompleted \nHello, world! Somebody waved\.\n$/);
});

/** The example's own files, on a database of its own. */
async function example(name: string): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshFolder();
  cpSync(inRepository(`examples/${name}`), cwd, { recursive: true });
  symlinkSync(inRepository("node_modules"), join(cwd, "node_modules"));
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

test.each([
  ["as TypeScript", [], {}],
  ["compiled, in production", ["--config", "dist/runledger.config.js"], { NODE_ENV: "production" }],
])("examples/nightly-orders runs as it stands, %s", async (_, args, env) => {
  const { cwd, env: store } = await example("nightly-orders");
  const where = { cwd, env: { ...store, ...env } };
  await startRunledger(where, "worker", ...args).says("Workflow  nightly-orders 1.0.0");
  const run = startRunledger(where, "run", "nightly-orders", "--input", `{"day":"2026-11-14"}`, "--wait", ...args);
  const runId = await run.says(/run_\w+/);
  await run.says(`Next  npx runledger approve ${runId}`);
  await runledger(where, "approve", runId);
  await run.says(`Next  npx runledger signal ${runId} release`);
  await runledger(where, "signal", runId, "release", `{"by":"you"}`);
  expect(await run.ended, run.output).toEqual({ code: 0, signal: null });
  expect(run.output).toMatch(/StepFailed +load .*the warehouse is busy/);
  expect(run.output.match(/StepCompleted +tables\/\d\/analyze/g)).toHaveLength(3);
  expect(run.output).toContain(`{"rows":22,"releasedBy":"you"}`);
});

test("examples/plan-yaml runs as it stands, and says where a mistake in it is", async () => {
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

test("examples/crash-me as its story shows it: killed, taken over, signalled, done", async () => {
  const cwd = freshFolder();
  const story = startProgram({ cwd }, "examples/crash-me/dist/story.js", join(cwd, "data"));
  expect(await story.ended, story.output).toEqual({ code: 0, signal: null });
  expect(story.output).toMatch(
    /kill -9 (\d+)[\s\S]*RunTakenOver[\s\S]*finishedBy: 'the story'[\s\S]*Next {2}see it again/,
  );
});
