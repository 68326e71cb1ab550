// @module-tag E-04
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { omitUndefined } from "@runledger/contracts";
import { connect, EnvSecrets, workflow, type Ledger } from "../../index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logOf, runWorkflow } from "@runledger/test-support/run-workflow";
import { needTools } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";

let ledger: Ledger;
let folder: string;

beforeEach(async () => {
  ledger = await connect("memory:");
  folder = mkdtempSync(join(tmpdir(), "command-"));
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const node = (script: string, ...args: string[]): [string, ...string[]] => [process.execPath, "-e", script, ...args];

/** Process ids from a file, one per line. */
function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
}

test("command: arguments arrive unchanged, without a shell", async () => {
  const awkward = ["$HOME", "; echo injected", "`id`", "a b", "*", "'\"", "--", "ünï"];
  const flow = workflow("arguments", {}, (w) =>
    w.command("show", { run: node("for (const a of process.argv.slice(1)) console.log(a)", ...awkward) }),
  );
  const run = await runWorkflow(ledger, flow);
  expect(run.data("StepCompleted", "show")["output"]).toMatchObject({ exitCode: 0, log: { kind: "log" } });
  const lines = await logOf(ledger.store, run.runId, "show");
  expect(lines.map(({ from, text }) => [from, text])).toEqual(awkward.map((text) => ["stdout", text]));
});

test("command: the environment has declared variables, PATH, HOME, LANG and the run's ids only", async () => {
  const flow = workflow("environment", {}, (w) =>
    w.command("show", {
      run: node("console.log(JSON.stringify(process.env))"),
      env: { GREETING: "hello", TOKEN: { secret: "api-token" } },
    }),
  );
  const environment = { PATH: process.env["PATH"], HOME: "/nonexistent", LANG: "C.UTF-8", AWS_SECRET: "not for you" };
  const secrets = new EnvSecrets({ RUNLEDGER_SECRET_API_TOKEN: "correct horse battery" });
  const run = await runWorkflow(ledger, flow, { environment, secrets });
  const [line] = await logOf(ledger.store, run.runId, "show");
  expect(JSON.parse(line!.text)).toEqual({
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    GREETING: "hello",
    TOKEN: "[secret api-token]",
    RUNLEDGER_RUN_ID: run.runId,
    RUNLEDGER_STEP_ID: "show",
    RUNLEDGER_ATTEMPT: "1",
    RUNLEDGER_IDEMPOTENCY_KEY: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    RUNLEDGER_ATTEMPT_KEY: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    RUNLEDGER_GUARD: expect.any(String) as string,
  });
});

test("command: output is readable line by line while it runs", async () => {
  const go = join(folder, "go");
  const script = `console.log("first"); console.error("oops");
    setInterval(() => { if (require("fs").existsSync(process.argv[1])) { console.log("last"); process.exit() } }, 20)`;
  const flow = workflow("live", {}, (w) => w.command("print", { run: node(script, go) }));
  const ended = runWorkflow(ledger, flow);
  const running = async () => (await ledger.store.listHeads()).at(-1)?.runId ?? "none";
  await until(async () => (await logOf(ledger.store, await running(), "print")).length === 2);
  const runId = await running();
  expect((await ledger.store.projectSnapshot(runId)).status).toBe("RUNNING");
  expect((await ledger.store.artifacts.listArtifacts({ runId }))[0]).not.toHaveProperty("sha256");
  writeFileSync(go, "");
  const { data } = await ended;
  const lines = await logOf(ledger.store, runId, "print");
  expect(lines.map(({ from, text }) => `${from} ${text}`).toSorted()).toEqual([
    "stderr oops",
    "stdout first",
    "stdout last",
  ]);
  const [stored] = await ledger.store.artifacts.listArtifacts({ runId });
  const { uri, kind, sha256, sizeBytes } = stored!;
  expect(data("StepCompleted", "print")["artifacts"]).toEqual([{ uri, kind, sha256, sizeBytes }]);
});

test("command: a failure has exit code, last lines and log, and the policy retries it", async () => {
  const flow = workflow("failing", {}, (w) =>
    w.command("fail", {
      retry: { attempts: 2, delay: "10ms" },
      run: node(`for (let i = 1; i <= 30; i++) console.error("line " + i + "\\0"); process.exitCode = 3`),
    }),
  );
  const run = await runWorkflow(ledger, flow);
  expect(run.events.filter(({ eventType }) => eventType === "StepFailed").length).toBe(2);
  const { error, artifacts } = run.data("StepFailed", "fail");
  expect(error).toMatchObject({ code: "COMMAND_FAILED", retryable: true });
  const { message } = error as { message: string };
  expect(message).toMatch(/^The command ended with exit code 3\.\nline 11/);
  expect(message).toMatch(/line 30.$/);
  expect(artifacts).toMatchObject([{ kind: "log", uri: expect.stringMatching(/^store:\/\//) as string }]);
  expect((await logOf(ledger.store, run.runId, "fail")).length).toBe(30);
});

test.each([
  ["COMMAND_NOT_FOUND", ["no-such-program-anywhere"], undefined],
  ["COMMAND_INVALID", ["env", "a\0b"], undefined],
  ["COMMAND_INVALID", ["env"], "/no/such/folder"],
] as const)("command: %s is not retried", async (code, run, cwd) => {
  const options = { retry: { attempts: 3, delay: "10ms" as const }, ...omitUndefined({ cwd }) };
  const flow = workflow("impossible", {}, (w) => w.command("run", { ...options, run }));
  const { data, events } = await runWorkflow(ledger, flow);
  expect(events.filter(({ eventType }) => eventType === "StepFailed").length).toBe(1);
  expect(data("StepFailed", "run")["error"]).toMatchObject({ code, retryable: false });
});

test("command: a secret in an argument is refused before the program starts", { tags: ["D-11"] }, async () => {
  const secrets = new EnvSecrets({ RUNLEDGER_SECRET_API_TOKEN: "correct horse battery" });
  const file = join(folder, "started");
  const script = `require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
  const flow = workflow("shows", {}, (w) =>
    w.command("run", { run: () => node(script, `--auth=${encodeURIComponent("correct horse battery")}`) }),
  );
  const { data } = await runWorkflow(ledger, flow, { secrets });
  expect(data("StepFailed", "run")["error"]).toMatchObject({
    code: "COMMAND_INVALID",
    message: expect.stringContaining("Argument 3 contains a secret: --auth=[secret api-token].") as string,
    retryable: false,
  });
  expect(existsSync(file)).toBe(false);
});

test("command: a timeout sends SIGTERM, and later output is kept", async () => {
  const script = `process.on("SIGTERM", () => { console.log("bye"); process.exit(0) }); console.log("hi"); setInterval(() => {}, 1000)`;
  const flow = workflow("polite", {}, (w) => w.command("wait", { timeout: "1s", run: node(script) }));
  const run = await runWorkflow(ledger, flow, { commandGraceMs: 60_000 });
  expect(run.data("StepFailed", "wait")["error"]).toMatchObject({ code: "TIMEOUT" });
  expect((await logOf(ledger.store, run.runId, "wait")).map(({ text }) => text)).toEqual(["hi", "bye"]);
});

test("command: SIGKILL follows an ignored SIGTERM, for children too, before the failure is recorded", async () => {
  const pids = join(folder, "pids");
  const run = [
    "sh",
    "-c",
    `trap '' TERM; echo $$ >> "$1"; (echo $(exec sh -c 'echo $PPID') >> "$1"; sleep 60) & sleep 60`,
    "sh",
    pids,
  ];
  const flow = workflow("stubborn", {}, (w) => w.command("wait", { timeout: "1s", run: run as never }));
  const { data } = await runWorkflow(ledger, flow, { commandGraceMs: 100 });
  expect(data("StepFailed", "wait")["error"]).toMatchObject({ code: "TIMEOUT" });
  expect(pidsIn(pids).length).toBe(2);
  await until(() => !pidsIn(pids).some(isAlive));
});

test("command: a cancelled run waits until the command is gone", async () => {
  const pids = join(folder, "pids");
  const script = `require("fs").writeFileSync(process.argv[1], process.pid + "\\n"); setInterval(() => {}, 1000)`;
  const flow = workflow("cancelled", {}, (w) => w.command("wait", { run: node(script, pids) }));
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await until(() => pidsIn(pids).length === 1);
  await run.act("CANCEL");
  await until(async () => (await run.snapshot()).status === "CANCELLED");
  expect(pidsIn(pids).filter(isAlive)).toEqual([]);
});

test("command: background processes are stopped with it", async () => {
  const pids = join(folder, "pids");
  const flow = workflow("litter", {}, (w) =>
    w.command("leave", { run: ["sh", "-c", `sleep 60 & echo $! > "$1"`, "sh", pids] }),
  );
  const { data } = await runWorkflow(ledger, flow);
  expect(data("StepCompleted", "leave")["output"]).toMatchObject({ exitCode: 0 });
  await until(() => !pidsIn(pids).some(isAlive));
});

test("command: kill -9 of the worker leaves no command, child or detached process behind", async (context) => {
  needTools(context, "setsid");
  const pids = join(folder, "pids");
  const script = `
    import { connect, workflow } from "@runledger/runtime";
    const run = ["sh", "-c", 'sleep 60 & echo $! > "$1"; setsid sleep 60 & echo $! >> "$1"; echo $$ >> "$1"; sleep 60; true', "sh", process.argv[1]];
    const flow = workflow("orphan", {}, (w) => w.command("sleep", { run }));
    const ledger = await connect("memory:");
    await ledger.worker({ workflows: [flow] });
    await ledger.start(flow);`;
  const worker = spawn(process.execPath, ["--input-type=module", "-e", script, pids], {
    cwd: import.meta.dirname,
    stdio: "inherit",
  });
  await until(() => {
    expect(worker.exitCode).toBeNull();
    return pidsIn(pids).length === 3;
  });
  expect(pidsIn(pids).every(isAlive)).toBe(true);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  await until(() => !pidsIn(pids).some(isAlive));
});
