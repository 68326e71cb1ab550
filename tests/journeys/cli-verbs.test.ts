// @module-tag R-43
/** Small cases of the commands that list, act on many runs, check files and explain codes. cli-verbs.all.test.ts has more. */
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, runledger } from "@runledger/test-support/runledger-command";

test("workflows are listed, and bulk acts on matching runs after a confirmation", { timeout: 120_000 }, async () => {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  const gated = workflow("gated", { version: "2" }, (w) => w.waitForSignal("go"));
  await Promise.all([ledger.start(gated), ledger.start(gated)]);
  const store = { cwd: freshProject({}), env: { RUNLEDGER_STORE: database.url } };
  const [listed, asked] = await Promise.all([
    runledger(store, "workflows", "--json"),
    runledger(store, "bulk", "cancel", "--workflow", "gated"),
  ]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ workflowId: "gated", version: "2" });
  expect(asked).toMatchObject({
    code: 2,
    stderr: "error OPTION_INVALID  --yes: 2 runs match. Add --yes to cancel them.\n",
  });
  const canceled = await runledger(store, "bulk", "cancel", "--workflow", "gated", "--yes", "-q");
  expect(canceled).toMatchObject({ code: 0, stdout: "CANCEL accepted by 2 runs, refused by 0.\n", stderr: "" });
});

test("validate reports every error of every file, and explain prints the page of a code", async () => {
  const cwd = freshProject({
    "nap.yaml": "workflow: nap\nversion: '1'\nsteps:\n  - id: rest\n    sleep: 1s\n",
    "broken.yaml": "workflow: broken\nsteps: [{ id: a, unheard: 1 }]\n",
    "code.ts": `import { workflow } from "runledger";
export const one = workflow("one", { version: "1" }, (w) => w.step("a", () => 1));`,
  });
  const [files, code, typo] = await Promise.all([
    runledger({ cwd }, "validate", "nap.yaml", "broken.yaml", "code.ts"),
    runledger({ cwd }, "explain", "stale-lease"),
    runledger({ cwd }, "explain", "STALE_LEAS", "--json"),
  ]);
  expect(files).toMatchObject({ code: 2, stdout: "✔ nap.yaml   nap 1   1 step\n✔ code.ts   one 1   1 step\n" });
  expect(files.stderr).toMatch(/^error PLAN_SYNTAX {2}broken\.yaml:2:.*\n/);
  expect(code.code).toBe(0);
  expect(code.stdout).toMatch(/^STALE_LEASE\n[\s\S]*\nWhat happened\n[\s\S]*\nWhat to do\n/);
  expect(JSON.parse(typo.stderr)).toMatchObject({
    error: { code: "OPTION_INVALID", message: expect.stringContaining("Did you mean STALE_LEASE?") as string },
  });
});
