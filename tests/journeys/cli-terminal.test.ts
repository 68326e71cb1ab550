// @module-tag U-20
/** The command line on a terminal: width, redrawing and completion. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith, needTools, requireTool } from "@runledger/test-support/requirements";
import { runledger } from "@runledger/test-support/hosted-commands";
import { bin, freshProject, onTerminal, type Running, type Where } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";

const ESCAPE = "\u001B";
const COLORS = /\u001B\[[\d;]*m/g;
const STEPS = 10_000;

async function place(files: Readonly<Record<string, string>> = {}): Promise<Where & { readonly url: string }> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return { cwd: freshProject(files), env: { RUNLEDGER_STORE: database.url }, url: database.url };
}

/** A run with many steps, driven by the test. */
async function bigRun(url: string) {
  const big = workflow("big", { version: "1" }, (w) => {
    for (let n = 0; n < STEPS; n++) w.step(`step-${n}`, () => n);
    return w.step("last", () => 1);
  });
  const ledger = await connect(url);
  onTestFinished(() => ledger.close());
  const { id: runId } = await ledger.start(big);
  const parts = { runId, planId: "big", planVersion: "1", logicalAttemptId: "1" };
  const append = (...types: readonly (readonly [eventType: string, stepId?: string])[]) =>
    ledger.store.appendEvents(
      types.map(([eventType, stepId]) =>
        newEvent({ ...parts, eventType, ...(stepId === undefined ? {} : { stepId }) }),
      ),
    );
  await append(["RunStarted"]);
  return { runId, append };
}

/** The drawn frames, without colors. */
function frames(output: string): string[][] {
  return output
    .split(`${ESCAPE}[J`)
    .slice(1)
    .map((frame) => frame.replaceAll(/\u001B\[\d*A\r?$/g, "").replaceAll(COLORS, ""))
    .map((frame) => frame.replaceAll("\r", "").trimEnd().split("\n"));
}

describeWith("on a terminal", [requireTool("script")], () => {
  const inTerminal = (where: Where, size: string, command: string, before = ""): Running =>
    onTerminal(where, `stty ${size}; ${before} ${process.execPath} ${bin} ${command}`);

  test("watch shows a window of 10,000 steps and adapts to the terminal's size", { tags: ["U-21"] }, async () => {
    const where = await place();
    const { runId, append } = await bigRun(where.url);
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `step-${from + n}`);
    for (let from = 0; from < 4000; from += 500)
      await append(
        ...ids(from, from + 500).flatMap((id) => [["StepStarted", id] as const, ["StepCompleted", id] as const]),
      );
    await append(["StepStarted", "step-4000"]);
    const resize = `(while [ ! -e narrow ]; do sleep 0.05; done; stty rows 8 cols 30 </dev/tty; touch done) &`;
    const watch = inTerminal(where, "rows 20 cols 60", `watch ${runId}`, resize);
    await watch.says(/step-4000 /);
    await until(() => frames(watch.output).at(-1)!.at(-1)!.includes("below"));
    const wide = frames(watch.output).at(-1)!;
    expect(wide[0]).toMatch(/^big 1 {3}RUNNING {3}.* seq 8003$/);
    expect(wide[1]).toBe("… 3,998 above: 3,998 ✔");
    expect(wide.slice(2, 5).map((line) => line.slice(0, 11))).toEqual(["✔ step-3998", "✔ step-3999", "● step-4000"]);
    expect(wide.at(-1)).toMatch(/^… 5,98\d below: 5,98\d ○$/);
    for (const frame of frames(watch.output)) {
      expect(frame.length).toBeLessThanOrEqual(19);
      for (const line of frame) expect(line.length).toBeLessThanOrEqual(60);
    }
    writeFileSync(join(where.cwd, "narrow"), "");
    await until(() => existsSync(join(where.cwd, "done")));
    await append(["StepCompleted", "step-4000"], ["StepStarted", "step-4001"]);
    await watch.says(/step-4001 /);
    const narrow = frames(watch.output).at(-1)!;
    expect(narrow.length).toBeLessThanOrEqual(7);
    for (const line of narrow) expect(line.length).toBeLessThanOrEqual(30);
    await append(["RunCancelled"]);
    expect(await watch.ended).toMatchObject({ code: 1 });
    expect(frames(watch.output).at(-1)![0]).toContain("CANCELLED");
    const piped = await runledger(where, "watch", runId);
    expect(piped.stdout).not.toContain(ESCAPE);
    expect(piped.stdout.split("\n").filter((line) => line.includes("Step")).length).toBe(8003);
  });

  test("tables fit the terminal, and have colors only there", async () => {
    const where = await place();
    const ledger = await connect(where.url);
    onTestFinished(() => ledger.close());
    const long = workflow("a-workflow-with-a-rather-long-name", { version: "1" }, (w) => w.step("s", () => 1));
    for (let n = 0; n < 3; n++) await ledger.start(long);
    const narrow = inTerminal(where, "rows 20 cols 72", "runs");
    expect(await narrow.ended).toMatchObject({ code: 0 });
    const [head, ...rest] = narrow.output.replaceAll(COLORS, "").replaceAll("\r", "").split("\n");
    expect(head).toMatch(/^RUN +WORKF/);
    const rows = rest.slice(0, 3);
    for (const row of rows) {
      expect(row).toMatch(/^run_\w+ {3}a-work.*… {3}PENDING/);
      expect(row.length).toBeLessThanOrEqual(72);
    }
    expect(narrow.output).toContain(`${ESCAPE}[33mPENDING`);
    const plain = await runledger(where, "runs");
    expect(plain.stdout).toMatch(/a-workflow-with-a-rather-long-name 1 {3}PENDING/);
    expect(plain.stdout).not.toContain(ESCAPE);
    const colorless = onTerminal(where, `NO_COLOR=1 ${process.execPath} ${bin} runs`);
    expect(await colorless.ended).toMatchObject({ code: 0 });
    expect(colorless.output).not.toContain(`${ESCAPE}[33m`);
  });
});

const yaml = `workflow: file-flow
version: "1"
input:
  type: object
  properties: { n: { type: integer } }
  required: [n]
steps:
  - id: nap
    sleep: 10ms
`;
const script = `import { workflow, FatalStepError } from "runledger";
export const good = workflow("good", { version: "1" }, (w) => w.step("s", () => ({ fine: true })));
export const bad = workflow("bad", { version: "1" }, (w) => w.step("s", () => { throw new FatalStepError("BROKEN", "it broke"); }));`;

test("run FILE --wait runs the steps and exits with the outcome, without a project", { tags: ["U-21"] }, async () => {
  const where = await place({ "flow.ts": script, "flow.yaml": yaml });
  const good = await runledger(where, "run", "flow.ts#good", "--wait", "--json");
  expect(good).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(good.stdout)).toMatchObject({ workflow: "good", status: "COMPLETED", output: { fine: true } });
  const bad = await runledger(where, "run", "./flow.ts#bad", "--wait");
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/FAILED in .*: s BROKEN it broke\n$/);
  expect(bad.stderr).toMatch(/^Next {2}npx runledger retry run_/);
  const data = await runledger(where, "run", "flow.yaml", "--input", `{"n":1}`, "--wait");
  expect(data).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Next {2}npx runledger events/) as string });
  const which = await runledger(where, "run", "flow.ts", "--wait");
  expect(which).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has bad, good\. Select one, such as flow\.ts#bad\./) as string,
  });
  const none = await runledger(where, "run", "absent.yaml");
  expect(none).toMatchObject({ code: 2, stderr: "error OPTION_INVALID  workflow: file absent.yaml does not exist.\n" });
});

test("bash completes commands and options", async (context) => {
  needTools(context, "bash");
  const where = await place();
  const complete = async (...words: readonly string[]) => {
    const typed = words.map((word) => `'${word}'`).join(" ");
    const program = `eval "$(${process.execPath} ${bin} completion bash)"
      COMP_WORDS=(runledger ${typed}); COMP_CWORD=${words.length}; _runledger; echo "\${COMPREPLY[@]}"`;
    return (await capture("bash", ["-c", program], { cwd: where.cwd, timeoutMs: 240_000 })).stdout.trim().split(" ");
  };
  expect(await complete("wa")).toEqual(["watch"]);
  expect(await complete("queue", "limits", "")).toEqual(expect.arrayContaining(["show", "set", "remove", "--server"]));
  expect(await complete("logs", "--fol")).toEqual(["--follow"]);
});

test("zsh and fish get their own completion scripts", async () => {
  const where = await place();
  for (const shell of ["zsh", "fish"]) {
    const { code, stdout } = await runledger(where, "completion", shell);
    expect(code).toBe(0);
    for (const name of ["watch", "schedules", "backfill"]) expect(stdout).toContain(name);
  }
  expect(await runledger(where, "completion", "tcsh")).toMatchObject({ code: 2 });
});

test("store migrate creates the schema, archive moves finished runs, and verify passes", async () => {
  const where = await place({ "flow.ts": script });
  expect(await runledger(where, "store", "migrate")).toMatchObject({
    stdout: expect.stringMatching(/ is up to date\.\n$/) as string,
    stderr: "Next  npx runledger store verify\n",
  });
  const runs = await Promise.all(
    ["good", "bad"].map((id) => runledger(where, "run", `flow.ts#${id}`, "--wait", "--json")),
  );
  const [good] = runs.map(({ stdout }) => JSON.parse(stdout) as { runId: string });
  const young = await runledger(where, "store", "archive");
  expect(young).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 runs archived\./) as string });
  const all = await runledger(where, "store", "archive", "--older-than", "0s");
  expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 runs archived\./) as string });
  expect((await runledger(where, "events", good!.runId)).stdout).toContain("RunCompleted");
  expect(await runledger(where, "store", "verify")).toMatchObject({ code: 0 });
  const wrong = await runledger(where, "store", "archive", "--older-than", "soon");
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error OPTION_INVALID {2}--older-than/) as string,
  });
});

test("control characters in a run's data do not reach the terminal", async () => {
  const where = await place();
  const evil = "\u001B]0;owned\u0007\u001B[2Jnot found\rall is well\u009B1A";
  const failing = workflow("evil", { version: "1" }, (w) =>
    w.step("fails", (): string => {
      throw Object.assign(new Error(evil), { code: evil });
    }),
  );
  await using ledger = await connect(where.url);
  await using _ = await ledger.worker({ workflows: [failing] });
  const run = await ledger.start(failing);
  await run.result().catch(() => {});
  for (const args of [
    ["events", run.id],
    ["watch", run.id],
    ["events", run.id, "--json"],
  ]) {
    const { stdout, stderr } = await runledger(where, ...args);
    expect(stdout).toContain("not found");
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
  }
});
