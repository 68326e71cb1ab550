import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, type Where } from "../support/runledger-command.js";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"], worker: { leaseMs: 2000 } });`;
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
  const { stdout } = await runledger(where, "run", "slow", "--json");
  const { runId } = JSON.parse(stdout) as { runId: string };
  const events = startRunledger(where, "events", runId, "--follow");
  await events.says(/StepStarted +long/);
  return { where, worker, runId, url: database.url, release: () => writeFileSync(join(cwd, "go"), "") };
}

async function typesOf(url: string, runId: string): Promise<string[]> {
  await using ledger = await connect(url);
  const events = await ledger.store.fetchEvents(runId);
  return events.map(({ eventType, stepId = "" }) => `${eventType} ${stepId}`.trim());
}

test("[E-20] SIGTERM lets a worker's running steps finish, and it ends with 0", { timeout: 120_000 }, async () => {
  const { worker, runId, url, release } = await running();
  worker.kill("SIGTERM");
  await worker.says("Stopping: running steps are finished.");
  release();
  expect(await worker.ended).toEqual({ code: 0, signal: null });
  expect(await typesOf(url, runId)).toContain("StepCompleted long");
});

test("[E-20] the second SIGTERM hands over at once: another worker goes on", { timeout: 120_000 }, async () => {
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
  expect((await typesOf(url, runId)).filter((type) => type === "StepCompleted long")).toHaveLength(1);
  next.kill("SIGTERM");
  expect(await next.ended).toEqual({ code: 0, signal: null });
});
