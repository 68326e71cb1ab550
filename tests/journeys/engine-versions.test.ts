/** D7: runs of versions that nobody has are seen, by everybody who may look for them. */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, writeFiles, type Where } from "../support/runledger-command.js";

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

test("[E-18] no worker for 1.4.0: runs, watch and a worker that starts say so, until one comes", async () => {
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

  old.kill("SIGKILL"); // a waiting run needs a worker too: once its signal comes, nobody would notice
  await old.ended;
  await expect.poll(async () => (await runledger(where, "runs")).stdout).toContain("no worker for");
});
