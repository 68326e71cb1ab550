// @module-tag E-17
/** `runledger fork` on real PostgreSQL, with workers that are killed. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, writeFiles, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"], worker: { leaseMs: 1000 } });`;

/** In version 2, `load` waits until the test creates a file. */
const workflows = `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { z } from "zod";
const ran = (what) => appendFileSync("ran", what + "\\n");
const orders = (version, gate) => workflow("orders", { version, input: z.object({ day: z.string() }) }, (w) => {
  const extract = w.step("extract", ({ input }) => (ran("extract"), { day: input.day, rows: 3 }));
  const check = w.forEach("check", { needs: { extract }, items: () => [1, 2, 3] }, (v) => v.step("one", ({ item }) => (ran("check"), item)));
  const load = w.step("load", { needs: { extract }, after: [check] }, async ({ needs, attempt }) => {
    if (version === "1") throw new Error("version 1 cannot load");
    writeFileSync("loading", "");
    while (!existsSync(gate)) await sleep(20);
    ran("load");
    return needs.extract.rows;
  });
  return w.step("publish", { needs: { load, extract } }, ({ needs, input }) => input.day + " " + needs.extract.day + " " + needs.load);
});
export const v1 = orders("1");
export const v2 = orders("2", "go");`;

async function project(): Promise<{ readonly where: Where; readonly url: string }> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
  return { where: { cwd, env: { RUNLEDGER_STORE: database.url } }, url: database.url };
}

const ranIn = ({ cwd }: Where): string[] => readFileSync(join(cwd, "ran"), "utf8").trim().split("\n");

test("a failed run continues as a fork on a fixed version, survives kill -9 of its worker, and is forked again", async () => {
  const { where, url } = await project();
  const worker = startRunledger(where, "worker");
  await worker.says("Next ");
  const failed = await runledger(where, "run", "orders@1", "--input", `{"day":"monday"}`, "--wait", "--json");
  expect(failed.code).toBe(1);
  const { runId: origin } = JSON.parse(failed.stdout) as { runId: string };
  writeFiles(where.cwd, { ran: "" });

  const fork = ["fork", origin, "--from", "load", "--to-version", "2", "--input", `{"day":"tuesday"}`];
  const preview = await runledger(where, ...fork, "--dry-run");
  expect(preview.stdout).toBe(
    [
      `orders 2   fork of ${origin} at seq 16`,
      "✔ extract   kept",
      "✔ check/0…2/one   kept",
      "✔ check   kept",
      "○ load   runs",
      "○ publish   runs",
      "",
    ].join("\n"),
  );
  expect(preview.stderr).toBe(`Next  npx runledger fork ${origin} --from load   to start the fork\n`);
  const made = await runledger(where, ...fork, "--json");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const { runId } = JSON.parse(made.stdout) as { runId: string };

  await expect.poll(() => existsSync(join(where.cwd, "loading"))).toBe(true);
  worker.kill("SIGKILL");
  await worker.ended;
  const second = startRunledger(where, "worker");
  await second.says("Next ");
  writeFileSync(join(where.cwd, "go"), "");
  expect(await runledger(where, "watch", runId)).toMatchObject({ code: 0 });

  await using ledger = await connect(url);
  const events = await ledger.store.fetchEvents(runId);
  expect(events.map(({ runSeq }) => runSeq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(events.length);
  expect(events.filter(({ eventType }) => eventType === "RunTakenOver")).toHaveLength(1);
  expect(events.filter(({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "load")).toHaveLength(1);
  expect(ranIn(where)).toEqual(["load"]); // the killed worker was still waiting in this step
  expect(events.find(({ stepId }) => stepId === "publish")).toBeDefined();
  const shown = await runledger(where, "events", runId);
  expect(shown.stdout).toMatch(new RegExp(`RunQueued +fork of ${origin} from load\\n`));
  expect(shown.stdout).toMatch(/StepCompleted +extract +kept\n/);

  const again = await runledger(where, "fork", runId, "--from", "publish", "--json");
  const { runId: third } = JSON.parse(again.stdout) as { runId: string };
  expect(await runledger(where, "watch", third)).toMatchObject({ code: 0 });
  const end = (await ledger.store.fetchEvents(third)).find(
    ({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "publish",
  );
  expect(end!.eventData).toMatchObject({ output: "tuesday monday 3" }); // new input, kept extract
  expect(ranIn(where)).toEqual(["load"]);
});

test("an invalid fork is refused with a reason and an exit code", async () => {
  const { where } = await project();
  const started = await runledger(where, "run", "orders@1", "--input", `{"day":"monday"}`, "--json");
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  const cases = [
    [["fork", runId, "--from", "nope"], 2, "FORK_INVALID"],
    [["fork", runId, "--from", "load", "--to-version", "7"], 2, "WORKFLOW_NOT_FOUND"],
    [["fork", runId], 2, "USAGE"],
  ] as const;
  for (const [args, code, error] of cases) {
    const answer = await runledger(where, ...args);
    expect(answer).toMatchObject({ code, stdout: "" });
    expect(answer.stderr).toMatch(new RegExp(`^error ${error}  .*\\n$`));
  }
  expect((await runledger(where, "--version")).stdout).toMatch(/^\d+\.\d+\.\d+/);
});
