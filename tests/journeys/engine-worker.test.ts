// @module-tag E-20
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

/** No lease expires during a test: another worker gets a run only if the first one releases it. */
const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.js"], worker: { leaseMs: 600_000 } });`;
/** The first step finishes when the test creates a file. */
const workflows = `import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const long = w.step("long", async () => { while (!existsSync("go")) await sleep(20); return process.pid; });
  return w.step("last", { needs: { long } }, ({ needs }) => needs.long);
});`;

async function running() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const where: Where = { cwd, env: { RUNLEDGER_STORE: database.url } };
  const worker = startRunledger(where, "worker");
  await worker.says("Next ");
  const runId = await start(where);
  const events = startRunledger(where, "events", runId, "--follow");
  await events.says(/StepStarted +long/);
  return { where, worker, runId, url: database.url, release: () => writeFileSync(join(cwd, "go"), "") };
}

async function typesOf(url: string, runId: string): Promise<string[]> {
  await using ledger = await connect(url);
  const events = await ledger.store.fetchEvents(runId);
  return events.map(({ eventType, stepId = "" }) => `${eventType} ${stepId}`.trim());
}

async function start(where: Where): Promise<string> {
  const { stdout } = await runledger(where, "run", "slow", "--json");
  return (JSON.parse(stdout) as { runId: string }).runId;
}

test("after SIGTERM a worker finishes running steps and claims nothing, and other workers resume its runs immediately", async () => {
  const { where, worker, runId, url, release } = await running();
  worker.kill("SIGTERM");
  await worker.says("Stopping after running steps finish.");
  const other = await start(where);
  release();
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  expect((await typesOf(url, runId)).slice(2)).toEqual(["StepStarted long", "StepCompleted long"]);
  expect(await typesOf(url, other)).toEqual(["RunQueued"]);

  startRunledger(where, "worker");
  for (const each of [runId, other]) {
    expect(await runledger(where, "watch", each)).toMatchObject({ code: 0 });
    expect(await typesOf(url, each)).not.toContain("RunTakenOver");
  }
});

test("a second SIGTERM releases runs immediately, and another worker repeats the step without waiting for the lease", async () => {
  const { where, worker, runId, url, release } = await running();
  worker.kill("SIGTERM");
  await worker.says("Stopping after running steps finish.");
  await new Promise((resolve) => setTimeout(resolve, 300)); // npm sends signals twice, so signals that close together count as one
  worker.kill("SIGTERM");
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  expect(await typesOf(url, runId)).not.toContain("StepCompleted long");
  const next = startRunledger(where, "worker");
  release();
  expect(await runledger(where, "watch", runId)).toMatchObject({ code: 0 });
  const types = await typesOf(url, runId);
  expect(types.slice(2, 5)).toEqual(["StepStarted long", "RunTakenOver", "StepCompleted long"]);
  expect(types.filter((type) => type === "StepCompleted long")).toHaveLength(1);
  next.kill("SIGTERM");
  expect(await next.ended).toEqual({ code: 0, signal: null });
});
