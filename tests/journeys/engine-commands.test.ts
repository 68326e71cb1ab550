import { expect, onTestFinished, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { freshDatabase } from "../support/fresh-database.js";
import { describeWith, requireTool } from "../support/requirements.js";
import { bin, freshProject, runledger, startRunledger, type Where } from "../support/runledger-command.js";

const workflows = `import { workflow, FatalStepError } from "runledger";
import { z } from "zod";
let calls = 0;
export const greet = workflow("greet", { version: "1.0.0", input: z.object({ name: z.string() }) }, (w) =>
  w.step("hello", ({ input }) => ({ text: "hello " + input.name })));
export const gated = workflow("gated", { version: "1.0.0", approval: true, signals: { go: z.object({ by: z.string() }) } }, (w) => {
  const go = w.waitForSignal("go");
  return w.step("after", { needs: { go } }, ({ needs }) => needs.go.by);
});
export const flaky = workflow("flaky", { version: "1.0.0" }, (w) =>
  w.step("once", () => { if (++calls === 1) throw new FatalStepError("BROKEN", "it broke"); return "mended"; }));`;
const ESCAPE = "\u001B";
const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows.ts"] });`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

async function start(where: Where, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runledger(where, "run", ...args, "--json");
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { runId: string }).runId;
}

async function working(): Promise<Where> {
  const where = await project();
  await startRunledger(where, "worker").says("Next ");
  return where;
}

test("run --wait shows a run and prints its output; a second call with its request id finds it", async () => {
  const where = await working();
  const args = ["run", "greet", "--input", `{"name":"you"}`, "--request-id", "r1", "--wait"];
  const first = await runledger(where, ...args);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(
    /^run_\w+ {3}greet 1\.0\.0\n +1 .*RunQueued +by \S+\n[\s\S]*RunCompleted\nCOMPLETED in /,
  );
  expect(first.stdout.trimEnd().split("\n").at(-1)).toBe(`{"text":"hello you"}`);
  const listed = await runledger(where, "runs");
  expect(listed.stdout).toMatch(/greet 1\.0\.0 .*COMPLETED .* by \S+/);
  const again = await runledger(where, ...args);
  expect(again.stdout.split(" ")[0]).toBe(first.stdout.split(" ")[0]);
  const json = await runledger(where, ...args, "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ status: "COMPLETED", output: { text: "hello you" } });
  const other = await runledger(where, "run", "greet", "--input", `{"name":"me"}`, "--request-id", "r1");
  expect(other).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error REQUEST_CHANGED {2}.*\n$/) as string });
});

test("a run is approved, paused, resumed, signalled and completes; every screen names the next command", async () => {
  const where = await working();
  const runId = await start(where, "gated");
  const watch = startRunledger(where, "watch", runId);
  await watch.says(`Next  npx runledger approve ${runId}`);
  for (const action of ["approve", "pause"]) {
    const { code, stdout } = await runledger(where, action, runId, "--by", "ada");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${action.toUpperCase()} accepted by ${runId}\nNext  npx runledger watch ${runId}\n`,
    });
  }
  await watch.says(`Next  npx runledger resume ${runId}`);
  await runledger(where, "resume", runId);
  await watch.says(`Next  npx runledger signal ${runId} go '{"by":"…"}'`);
  const wrong = await runledger(where, "signal", runId, "go", `{"by":1}`);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error SCHEMA_MISMATCH {2}.*by: .*\n$/) as string,
  });
  await runledger(where, "signal", runId, "go", `{"by":"ada"}`, "--signal-id", "s1");
  await runledger(where, "signal", runId, "go", `{"by":"ada"}`, "--signal-id", "s1");
  expect(await watch.ended).toMatchObject({ code: 0 });
  const { stdout } = await runledger(where, "events", runId, "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { eventType: string; eventData: object });
  expect(events.filter(({ eventData }) => "by" in eventData && eventData.by === "ada")).toHaveLength(2);
  expect(events.filter(({ eventType }) => eventType === "SignalAccepted")).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({ eventType: "RunCompleted" });
  const late = await runledger(where, "signal", runId, "go", `{"by":"bob"}`);
  expect(late).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^error SIGNAL_REJECTED {2}.*COMPLETED.*\n$/) as string,
  });
});

test("a failed run exits with 1 and offers its retry; the retry runs what failed", async () => {
  const where = await working();
  const failed = await runledger(where, "run", "flaky", "--wait");
  const runId = failed.stdout.split(" ")[0]!;
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stdout).toMatch(/FAILED in .*: once BROKEN it broke\nNext {2}npx runledger retry run_/);
  const listed = await runledger(where, "runs");
  expect(listed.stdout).toMatch(new RegExp(`^${runId} {3}flaky 1\\.0\\.0 {3}FAILED .*once: BROKEN it broke\\nNext`));
  expect(await runledger(where, "retry", runId)).toMatchObject({ code: 0 });
  expect(await runledger(where, "watch", runId)).toMatchObject({ code: 0 });
});

test("events --follow ends with the run, and watch --json prints snapshots", async () => {
  const where = await working();
  const runId = await start(where, "gated");
  const follow = startRunledger(where, "events", runId, "--follow");
  await follow.says("RunQueued");
  await runledger(where, "cancel", runId);
  expect(await follow.ended).toMatchObject({ code: 0 });
  expect(follow.output).toContain("RunCancelled");
  const watched = await runledger(where, "watch", runId, "--json");
  expect(watched.code).toBe(1);
  const snapshots = watched.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { status: string });
  expect(snapshots.at(-1)).toMatchObject({ runId, status: "CANCELLED" });
});

describeWith("on a terminal", [requireTool("script")], () => {
  test("watch draws a tree in colours; on a pipe there is neither", async () => {
    const where = await working();
    const runId = await start(where, "greet", "--input", `{"name":"you"}`);
    const plain = await runledger(where, "watch", runId);
    expect(plain.stdout).not.toContain(ESCAPE);
    const args = ["-qec", `${process.execPath} ${bin} watch ${runId}`, "/dev/null"];
    const { stdout } = await capture("script", args, { cwd: where.cwd, env: where.env!, timeoutMs: 60_000 });
    expect(stdout).toContain(`${ESCAPE}[1mgreet 1.0.0${ESCAPE}[0m   ${ESCAPE}[32mCOMPLETED${ESCAPE}[0m`);
    expect(stdout).toMatch(/✔.* hello {3}/);
    expect(stdout).toContain(`runledger events ${runId}`);
  });
});

test("a run that no worker takes says how to start one", async () => {
  const where = await project();
  const waiting = startRunledger(where, "run", "greet", "--input", `{"name":"you"}`, "--wait");
  await waiting.says("Next  npx runledger worker   no worker for greet 1.0.0");
  waiting.kill("SIGINT");
  expect(await waiting.ended).toMatchObject({ code: 0 });
  expect(waiting.output).toContain("the run goes on");
});

test.each<[string, readonly string[], number, RegExp]>([
  [
    "an unknown command",
    ["wtach"],
    2,
    /^error USAGE {2}unknown command 'wtach' \(Did you mean watch\?\) See runledger --help\n$/,
  ],
  ["a missing argument", ["watch"], 2, /^error USAGE {2}missing required argument 'run'\. See runledger --help\n$/],
  ["an unknown option", ["runs", "--all"], 2, /^error USAGE {2}unknown option '--all'\. See runledger --help\n$/],
  ["an unknown run", ["watch", "run_1"], 2, /^error RUN_NOT_FOUND {2}.*\n$/],
  ["an unknown run to signal", ["signal", "run_1", "go"], 2, /^error RUN_NOT_FOUND {2}.*\n$/],
  ["an unknown workflow", ["run", "nope"], 2, /^error WORKFLOW_NOT_FOUND {2}.*it has .*greet@1\.0\.0.*\n$/],
  ["input that is not JSON", ["run", "greet", "--input", "{"], 2, /^error OPTION_INVALID {2}--input: .*\n$/],
  [
    "input that the schema refuses",
    ["run", "greet", "--input", "{}"],
    2,
    /^error SCHEMA_MISMATCH {2}input\.name: .*\n$/,
  ],
  ["a store of another kind", ["watch", "x", "--store", "mongo://x"], 2, /^error STORE_URL_INVALID {2}.*\n$/],
  [
    "a store that is away",
    ["watch", "x", "--store", "postgres://127.0.0.1:1/x"],
    4,
    /^error STORE_UNAVAILABLE {2}.*\n$/,
  ],
])(
  "%s: an exit code, and one line that says what to do",
  async (_, args, code, expected) => {
    const ended = await runledger(await project(), ...args);
    expect(ended.stderr).toMatch(expected);
    expect(ended).toMatchObject({ code, stdout: "" });
  },
  60_000,
);

test("--help everywhere", async () => {
  const where = await project();
  const { code, stdout } = await runledger(where, "--help");
  expect(code).toBe(0);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(["dev", "run", "watch", "events", "signal", "worker", "skip", "runs"]));
  for (const name of names) expect(await runledger(where, name, "--help")).toMatchObject({ code: 0, stderr: "" });
});
