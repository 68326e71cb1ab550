import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, startRunledger, type Where } from "@runledger/test-support/runledger-command";

/** Copies an example into a fresh folder with a fresh database. */
export async function example(name: string): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshFolder();
  cpSync(inRepository(`examples/${name}`), cwd, { recursive: true });
  symlinkSync(inRepository("node_modules"), join(cwd, "node_modules"));
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

/** Runs examples/nightly-orders to its end, as its README describes it. */
export async function runNightlyOrders(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { cwd, env: store } = await example("nightly-orders");
  const where = { cwd, env: { ...store, ...env } };
  await startRunledger(where, "worker", ...args).says("Workflow  nightly-orders 1.0.0");
  const run = startRunledger(where, "run", "nightly-orders", "--input", `{"day":"2026-11-14"}`, "--wait", ...args);
  const runId = await run.says(/run_\w+/);
  await run.says(`Next  npx runledger approve ${runId}`);
  await runledger(where, "approve", runId);
  await run.says(`Next  npx runledger signal ${runId} release`);
  await runledger(where, "signal", runId, "release", `{"by":"you"}`);
  expect(await run.ended, run.output).toEqual({ code: 0, signal: null });
  expect(run.output).toMatch(/StepFailed +load .*the warehouse is busy/);
  expect(run.output.match(/StepCompleted +tables\/\d\/analyze/g)).toHaveLength(3);
  expect(run.output).toContain(`{"rows":22,"releasedBy":"you"}`);
}
