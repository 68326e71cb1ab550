// @module-tag B-21
/** The logs of real processes: JSON for collectors, readable lines in `dev`. */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const workflows = `import { workflow } from "runledger";
export const fails = workflow("fails", { version: "1" }, (w) =>
  w.step("work", () => { throw new Error("the disk is full"); }));`;

async function project(settings = "", variables: Record<string, string> = {}): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const config = `export default { workflows: ["./workflows.js"], ${settings} };`;
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd, ...variables } };
}

const MESSAGE = "Attempt 1 of step work failed: the disk is full";

test("a worker logs JSON lines with the ids of a failed attempt", async () => {
  const where = await project();
  const worker = startRunledger(where, "worker");
  await worker.says("Next ");
  await runledger(where, "run", "fails");
  const line = JSON.parse(await worker.says(/^\{.*the disk is full.*\}$/m)) as object;
  expect(line).toMatchObject({ level: "info", stepId: "work", attempt: 1, tenantId: "default", msg: MESSAGE });
  expect(line).toMatchObject({ runId: expect.stringMatching(/^run_/) as string, pid: worker.pid });
});

test("dev logs readable lines", async () => {
  const where = await project();
  const dev = startRunledger(where, "dev", "--port", "0");
  await dev.says("Next ");
  await runledger(where, "run", "fails");
  const line = await dev.says(/^\d\d:\d\d:\d\d info .*$/m);
  expect(line).toContain(`${MESSAGE}  runId=run_`);
  expect(line).toContain("stepId=work attempt=1 tenantId=default code=");
});

test("level and format are settings, and variables take precedence", async () => {
  const where = await project(`log: { level: "error", format: "json" }`, { RUNLEDGER_LOG_FORMAT: "pretty" });
  const loud = startRunledger({ ...where, env: { ...where.env, RUNLEDGER_LOG_LEVEL: "info" } }, "worker");
  await loud.says("Next ");
  await runledger(where, "run", "fails");
  await loud.says(/^\d\d:\d\d:\d\d info .*the disk is full/m);
  const wrong = startRunledger(await project(`log: { level: "loud" }`), "worker");
  await wrong.says(/CONFIG_INVALID +log level: loud is not a level\./);
  expect((await wrong.ended).code).toBe(2);
});

test("a process that waits for its store logs it without the password", async () => {
  const where = await project("", { RUNLEDGER_STORE: "postgres://ada:hunter2@127.0.0.1:1/none" });
  for (const command of [["worker"], ["serve", "--port", "0"]]) {
    const waiting = startRunledger(where, ...command);
    const line = JSON.parse(await waiting.says(/^\{.*Next attempt in.*\}$/m)) as object;
    expect(line).toMatchObject({ level: "warn", part: "store", code: "STORE_UNAVAILABLE" });
    expect(waiting.output).not.toContain("hunter2");
  }
});
