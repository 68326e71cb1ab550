// @module-tag D-01
/** Artifacts in a folder, when their runs are erased or deleted from the store. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect, workflow, type Ledger } from "runledger";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";

const write = workflow("write", { version: "1" }, (w) =>
  w.step("write", async ({ artifact }) => (await artifact.write("rows", "1,2,3\n")).uri),
);

async function opened(): Promise<{ ledger: Ledger; folder: string; finish: () => Promise<string> }> {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const ledger = await connect("memory:", { artifacts: pathToFileURL(folder).href });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  ledger.projector();
  await ledger.worker({ workflows: [write] });
  const finish = async (): Promise<string> => {
    const run = await ledger.start(write);
    await run.result();
    expect(readdirSync(folder)).toContain(run.id);
    return run.id;
  };
  return { ledger, folder, finish };
}

test("erasing a run removes its artifacts and those of no other run", async () => {
  const { ledger, folder, finish } = await opened();
  const [erased, kept] = [await finish(), await finish()];
  await ledger.erasure.run(erased, { reason: "request 17" });
  expect(readdirSync(folder)).toContain(kept);
  expect(readdirSync(folder)).not.toContain(erased);
});

test("retention removes the artifacts of a run that it deletes, and keeps those of a run that it may not delete", async () => {
  const { ledger, folder, finish } = await opened();
  const [deleted, kept] = [await finish(), await finish()];
  await until(async () => (await ledger.store.archive.archiveRun(deleted)).archived);
  expect(await ledger.store.retention.deleteRun(kept)).toMatchObject({ deleted: false, reason: "not-archived" });
  expect(await ledger.store.retention.deleteRun(deleted)).toMatchObject({ deleted: true });
  expect(readdirSync(folder)).toContain(kept);
  expect(readdirSync(folder)).not.toContain(deleted);
});

test("a sweep finishes what a lost process started, only for runs that do not exist", async () => {
  const { ledger, folder, finish } = await opened();
  const kept = await finish();
  for (const runId of [kept, "run_deleted"]) {
    mkdirSync(join(folder, "=deleting"), { recursive: true });
    writeFileSync(join(folder, "=deleting", runId), "");
  }
  mkdirSync(join(folder, "run_deleted", "art_1"), { recursive: true });
  writeFileSync(join(folder, "run_deleted", "art_1", "rows"), "left");
  while (await ledger.store.retention.sweepDeleted());
  expect(readdirSync(folder)).toContain(kept);
  expect(readdirSync(folder)).not.toContain("run_deleted");
  expect(readdirSync(join(folder, "=deleting"))).toEqual([kept]);
});
