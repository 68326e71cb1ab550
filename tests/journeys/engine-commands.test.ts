import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { runledger } from "@runledger/test-support/hosted-commands";
import { bin, freshProject, onTerminal, startRunledger, type Where } from "@runledger/test-support/runledger-command";

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
  w.step("once", () => { if (++calls === 1) throw new FatalStepError("BROKEN", "it broke"); return "fixed"; }));`;
const ESCAPE = "\u001B";
const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows.js"] });`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
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

test("run --wait shows a run and prints its output, and a second call with the request id returns the same run", async () => {
  const where = await working();
  const args = ["run", "greet", "--input", `{"name":"you"}`, "--request-id", "r1", "--wait"];
  const first = await runledger(where, ...args);
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Next {2}npx runledger events run_\w+\n$/) as string,
  });
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

test("a run is approved, paused, resumed and signaled, and every output suggests the next command", async () => {
  const where = await working();
  const runId = await start(where, "gated");
  const watch = startRunledger(where, "watch", runId);
  await watch.says(`Next  npx runledger approve ${runId}`);
  for (const action of ["approve", "pause"]) {
    expect(await runledger(where, action, runId, "--by", "ada")).toMatchObject({
      code: 0,
      stdout: `${action.toUpperCase()} accepted by ${runId}\n`,
      stderr: `Next  npx runledger watch ${runId}\n`,
    });
    await watch.says(/StepStarted +go/); // a run that no worker has claimed yet cannot be paused
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

test(
  "names that a run does not have are refused, and untaken signals are shown at its end",
  { tags: ["R-02"] },
  async () => {
    const where = await working();
    const runId = await start(where, "gated");
    const refusals = [
      [["signal", runId, "goo"], /^error SIGNAL_UNKNOWN {2}.*Did you mean go\?.*\n$/],
      [["skip", runId, "nosuch"], /^error STEP_NOT_FOUND {2}.*nosuch.*\n$/],
      [["skip", runId, "aftr"], /^error STEP_NOT_FOUND {2}.*Did you mean after\?.*\n$/],
      [["retry", runId, "--step", "nosuch"], /^error STEP_NOT_FOUND {2}.*nosuch.*\n$/],
    ] as const;
    for (const [args, message] of refusals)
      expect(await runledger(where, ...args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(message) as string,
      });
    for (const by of ["ada", "bob", "eve"]) await runledger(where, "signal", runId, "go", JSON.stringify({ by }));
    await runledger(where, "approve", runId);
    const watched = await runledger(where, "watch", runId);
    expect(watched.stdout).toMatch(/RunCompleted +2 untaken signals\nCOMPLETED in .*\nUntaken signals: 2 \(go\)\n/);
    expect(watched.stdout).not.toMatch(/nosuch|goo/);
    const shown = (await runledger(where, "watch", runId, "--json")).stdout.trim().split("\n");
    expect(JSON.parse(shown.at(-1)!)).toMatchObject({ signals: [{ name: "go" }, { name: "go" }] });
  },
);

test("a failed run exits with 1 and suggests a retry, which runs the failed step", async () => {
  const where = await working();
  const failed = await runledger(where, "run", "flaky", "--wait");
  const runId = failed.stdout.split(" ")[0]!;
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stdout).toMatch(/FAILED in .*: once BROKEN it broke\n$/);
  expect(failed.stderr).toMatch(/^Next {2}npx runledger retry run_/);
  const listed = await runledger(where, "runs");
  expect(listed.stdout).toMatch(new RegExp(`^${runId} {3}flaky 1\\.0\\.0 {3}FAILED .*once: BROKEN it broke\\n$`));
  expect(await runledger(where, "retry", runId)).toMatchObject({ code: 0 });
  expect(await runledger(where, "watch", runId)).toMatchObject({ code: 0 });
});

test("events --follow stops when the run finishes, and watch --json prints snapshots", async () => {
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
  test("watch draws a colored tree on a terminal, and neither on a pipe", async () => {
    const where = await working();
    const runId = await start(where, "greet", "--input", `{"name":"you"}`);
    const plain = await runledger(where, "watch", runId);
    expect(plain.stdout).not.toContain(ESCAPE);
    const watch = onTerminal(where, `${process.execPath} ${bin} watch ${runId}`);
    expect(await watch.ended).toMatchObject({ code: 0 });
    expect(watch.output).toContain(`${ESCAPE}[1mgreet 1.0.0${ESCAPE}[22m   ${ESCAPE}[32mCOMPLETED${ESCAPE}[39m`);
    expect(watch.output).toMatch(/✔.* hello {3}/);
    expect(watch.output).toContain(`runledger events ${runId}`);
  });
});

test("run --wait suggests how to start a worker if there is none", async () => {
  const where = await project();
  const waiting = startRunledger(where, "run", "greet", "--input", `{"name":"you"}`, "--wait");
  await waiting.says("Next  npx runledger worker   no worker for greet 1.0.0");
  waiting.kill("SIGINT");
  expect(await waiting.ended).toMatchObject({ code: 0 });
  expect(waiting.output).toContain("the run continues");
});

const REFUSED: readonly [string, readonly string[], number, RegExp][] = [
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
  ["an unknown workflow", ["run", "nope"], 2, /^error WORKFLOW_NOT_FOUND {2}.*It has .*greet@1\.0\.0.*\n$/],
  ["input that is not JSON", ["run", "greet", "--input", "{"], 2, /^error OPTION_INVALID {2}--input: .*\n$/],
  [
    "input that does not match the schema",
    ["run", "greet", "--input", "{}"],
    2,
    /^error SCHEMA_MISMATCH {2}input\.name: .*\n$/,
  ],
  ["an unsupported store", ["watch", "x", "--store", "mongo://x"], 2, /^error STORE_URL_INVALID {2}.*\n$/],
  [
    "an unreachable store",
    ["watch", "x", "--store", "postgres://127.0.0.1:1/x"],
    4,
    /^error STORE_UNAVAILABLE {2}.*\n$/,
  ],
];

test("a refused command prints one line with a remedy, and sets the exit code", async () => {
  const where = await project();
  for (const [reason, args, code, expected] of REFUSED) {
    const ended = await runledger(where, ...args);
    expect(ended.stderr, reason).toMatch(expected);
    expect(ended, reason).toMatchObject({ code, stdout: "" });
  }
});

/** The reference of the command line is generated from the help of every command. */
test("the program and its commands have --help", async () => {
  const where = await project();
  const { code, stdout } = await runledger(where, "--help");
  expect(code).toBe(0);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(["dev", "run", "watch", "events", "signal", "worker", "skip", "runs"]));
  for (const name of ["run", "skip", "store"])
    expect(await runledger(where, name, "--help")).toMatchObject({ code: 0, stderr: "" });
});
