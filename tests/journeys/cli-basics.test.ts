// @module-tag R-43
/** Options and rules of all commands: help, quiet output, JSON errors, input from a pipe, short ids and hints. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { bin, freshProject, onTerminal, runledger } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"] });`;
const workflows = `import { workflow } from "runledger";
import { z } from "zod";
export const echo = workflow("echo", { version: "1", input: z.object({ text: z.string() }) }, (w) =>
  w.step("say", ({ input }) => input.text));`;

async function place() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

test("runledger alone prints its help, and help explains a command", async () => {
  const where = { cwd: freshProject({}) };
  expect(await runledger(where)).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage:") as string });
  const help = await runledger(where, "help", "show");
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("show [options] <run>") as string });
});

test("init fills in its template, and an unusable folder or server is explained", async () => {
  const cwd = freshProject({ "a-file": "" });
  expect(await runledger({ cwd }, "init", "My Project")).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, "My Project/README.md"), "utf8")).toMatch(/^# my-project\n/);
  // Without a version, an edit of the steps is a new version instead of PLAN_VERSION_TAKEN.
  expect(readFileSync(join(cwd, "My Project/src/workflows/welcome.ts"), "utf8")).not.toContain("version:");
  const refused = await runledger({ cwd }, "init", "a-file/project");
  expect(refused.code).toBe(2);
  const said =
    /^error OPTION_INVALID {2}cannot mkdir .*a-file\/project: a part of the path is a file, .*\(ENOTDIR\)\.\n$/;
  expect(refused.stderr).toMatch(said);
  if (process.platform === "linux") expect(await runledger({ cwd }, "init", "/proc/x")).toMatchObject({ code: 2 });

  const another = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(`{"items":[],"next":null}`);
  });
  await new Promise<void>((resolve) => another.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void another.close());
  const url = `http://127.0.0.1:${(another.address() as AddressInfo).port}`;
  expect(await runledger({ cwd }, "cancel", "run_1", "--server", url)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: `error OPTION_INVALID  --server: ${url} is not a Runledger server. Check the address.\n`,
  });
});

test("with --json, errors are JSON on standard error", async () => {
  const where = await place();
  const unknown = await runledger(where, "run", "ech", "--json");
  expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: "WORKFLOW_NOT_FOUND" } });
  const usage = await runledger(where, "show", "--json");
  expect(usage.code).toBe(2);
  expect(JSON.parse(usage.stderr)).toMatchObject({ error: { code: "USAGE" } });
});

test("a run gets input from a pipe and labels, and a missing input is explained", { timeout: 300_000 }, async () => {
  const where = await place();
  expect(await runledger(where, "run", "echo")).toMatchObject({
    code: 2,
    stderr: `error SCHEMA_MISMATCH  input: is missing; echo needs --input '{"text":"…"}'\n`,
  });
  const long = "x".repeat(300);
  const start = [`echo '{"text":"${long}"}' |`, process.execPath, bin, "run echo --input - --label team=data -q"];
  const started = await capture("sh", ["-c", start.join(" ")], where);
  expect(started).toMatchObject({ code: 0, stderr: "" });
  expect(started.stdout).toMatch(/^run_\w+ {3}echo 1\n$/);
  const [runId] = started.stdout.split(" ") as [string];
  const events = await runledger(where, "events", runId.slice(-8));
  expect(events.stdout).not.toContain("Next");
  expect(events.stderr).toBe(`Next  npx runledger watch ${runId}\n`);
  const labeled = await runledger(where, "runs", "--label", "team=data", "--json");
  expect(JSON.parse(labeled.stdout)).toMatchObject({ runId, labels: { team: "data" } });
  expect((await runledger(where, "runs")).stdout).not.toContain("WORKFLOW");
  const terminal = onTerminal(where, `${process.execPath} ${bin} runs --no-color`);
  expect(await terminal.ended).toMatchObject({ code: 0 });
  expect(terminal.output).toMatch(/^RUN +WORKFLOW +STATUS/);
  expect(terminal.output).not.toContain("\u001B[");
});
