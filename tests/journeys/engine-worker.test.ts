import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, type Where } from "../support/runledger-command.js";

/** A lease that no test outlives: whatever is done by another worker was handed over, not waited for. */
const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"], worker: { leaseMs: 600_000 } });`;
/** The first step ends when a file appears: the test decides when. */
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
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
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

test("[E-20] SIGTERM drains: running steps are finished, nothing new is begun or claimed, and others go on at once", async () => {
  const { where, worker, runId, url, release } = await running();
  worker.kill("SIGTERM");
  await worker.says("Stopping: running steps are finished.");
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

test("[E-20] the second SIGTERM hands over at once: another worker runs the step again, without waiting for the lease", async () => {
  const { where, worker, runId, url, release } = await running();
  worker.kill("SIGTERM");
  await worker.says("Stopping: running steps are finished.");
  await new Promise((resolve) => setTimeout(resolve, 300)); // two signals at once are one: npm doubles them
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
