// @module-tag E-18
/** Commands report runs of versions that no worker has (D7). */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, writeFiles, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"], worker: { leaseMs: 1000 } });`;
const version = (name: string): string => `import { workflow } from "runledger";
export const nightly = workflow("nightly", { version: "${name}" }, (w) => w.waitForSignal("go"));`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": version("1.4.0") });
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

async function start(where: Where): Promise<string> {
  const { stdout, stderr } = await runledger(where, "run", "nightly", "--json");
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as { runId: string }).runId;
}

test("runs, watch and a starting worker report that no worker has 1.4.0, until one starts", async () => {
  const where = await project();
  const runId = await start(where);
  const listed = await runledger(where, "runs");
  expect(listed.stdout).toMatch(
    new RegExp(`^${runId} {3}nightly 1\\.4\\.0 {3}PENDING .*no worker for nightly 1\\.4\\.0\n`),
  );
  const watch = startRunledger(where, "watch", runId);
  await watch.says(/Next {2}npx runledger worker {3}no worker for nightly 1\.4\.0/);

  writeFiles(where.cwd, { "workflows.ts": version("1.5.0") });
  const young = startRunledger(where, "worker");
  await young.says("Waiting   1 open run: no worker for nightly 1.4.0");
  expect((await runledger(where, "runs", "--json")).stdout).toContain(`"reason":"no worker for nightly 1.4.0"`);

  writeFiles(where.cwd, { "workflows.ts": version("1.4.0") });
  const old = startRunledger(where, "worker");
  await old.says("Next ");
  expect(old.output).not.toContain("Waiting");
  await watch.says(/StepStarted +go/);
  expect((await runledger(where, "runs")).stdout).not.toContain("no worker");

  old.kill("SIGKILL"); // a waiting run needs a worker, too: without one its signal would have no effect
  await old.ended;
  await expect.poll(async () => (await runledger(where, "runs")).stdout).toContain("no worker for");
});
