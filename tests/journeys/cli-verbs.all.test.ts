// @module-tag R-43
/** Commands for workflows, workers, artifacts and many runs, as real processes on a store. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, workflow, type Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, runledger } from "@runledger/test-support/runledger-command";

const rows = workflow("rows", { version: "1" }, (w) =>
  w.step("write", async ({ artifact }) => {
    console.log("writing");
    return (await artifact.write("rows", "1,2,3\n")).kind;
  }),
);
const gated = workflow("gated", { version: "2" }, (w) => w.waitForSignal("go"));

let database: FreshDatabase;
let ledger: Ledger;
let done: string;
let waiting: readonly string[];

beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
  const worker = await ledger.worker({ workflows: [rows, gated] });
  const run = await ledger.start(rows);
  await run.result();
  done = run.id;
  const started = await Promise.all([1, 2].map(() => ledger.start(gated)));
  waiting = started.map(({ id }) => id);
  await worker.stop();
}, 60_000);
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

/** A user's project; `store` also selects the database. */
function place(files: Readonly<Record<string, string>> = {}) {
  const cwd = freshProject(files);
  return { cwd, store: { cwd, env: { RUNLEDGER_STORE: database.url } } };
}

const lines = (text: string): unknown[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

test("workflows, workers and artifacts are listed, and an artifact is downloaded", { timeout: 120_000 }, async () => {
  const { cwd, store } = place();
  const [workflows, workers, listed, shown, missing, saved] = await Promise.all([
    runledger(store, "workflows", "--json"),
    runledger(store, "workers"),
    runledger(store, "artifacts", "list", done.slice(-8), "--json"),
    runledger(store, "artifacts", "download", done, "rows"),
    runledger(store, "artifacts", "download", done, "row"),
    runledger(store, "artifacts", "download", done, "log", "-o", "write.log", "-q"),
  ]);
  expect(lines(workflows.stdout)).toMatchObject([
    { workflowId: "gated", version: "2", versionCount: 1 },
    { workflowId: "rows", version: "1", versionCount: 1 },
  ]);
  expect(workers).toMatchObject({ code: 0, stdout: "No workers.\n", stderr: "Next  npx runledger worker\n" });
  expect(lines(listed.stdout)).toMatchObject([
    { kind: "rows", stepId: "write", sizeBytes: 6 },
    { kind: "log", stepId: "write" },
  ]);
  expect(shown).toMatchObject({ code: 0, stdout: "1,2,3\n" });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error ARTIFACT_NOT_FOUND {2}/) as string });
  expect(saved).toMatchObject({ code: 0, stdout: `log of ${done} is in write.log\n` });
  expect(readFileSync(join(cwd, "write.log"), "utf8")).toContain("writing");
});

test("bulk acts on matching runs only, after a confirmation, and reports counts", { timeout: 120_000 }, async () => {
  const { store } = place();
  const filter = ["--workflow", "gated"];
  const preview = await runledger(store, "bulk", "cancel", ...filter, "--dry-run", "--json");
  expect(new Set(lines(preview.stdout).map((line) => (line as { runId: string }).runId))).toEqual(new Set(waiting));
  expect(await runledger(store, "bulk", "cancel", ...filter)).toMatchObject({
    code: 2,
    stderr: "error OPTION_INVALID  --yes: 2 runs match. Add --yes to cancel them.\n",
  });
  const canceled = await runledger(store, "bulk", "cancel", ...filter, "--yes", "--by", "ada");
  expect(canceled).toMatchObject({ code: 0, stdout: "CANCEL accepted by 2 runs, refused by 0.\n" });
  const again = await runledger(store, "bulk", "cancel", ...filter, "--yes", "--json");
  expect(again.code).toBe(3); // no worker has stopped the runs yet, so they refuse a second cancel
  expect(lines(again.stdout).at(-1)).toEqual({ action: "CANCEL", accepted: 0, refused: 2 });
  expect(await runledger(store, "bulk", "retry", "--status", "RUNNING", "-y")).toMatchObject({ code: 2 });
});
