// @module-tag D-01
/** Artifacts in a folder, when their runs are erased or deleted from the store. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

/** Replaces a folder by a link to itself, which cannot be listed. Returns a function that restores it. */
function damage(folder: string): () => void {
  renameSync(folder, `${folder}.saved`);
  symlinkSync(folder, folder);
  return () => {
    rmSync(folder);
    renameSync(`${folder}.saved`, folder);
  };
}

const unavailable = { code: "ARTIFACTS_UNAVAILABLE", family: "retry" };

test("a failed search for lost writes stops no retention, and is not repeated at once", async () => {
  const { ledger, folder, finish } = await opened();
  const runId = await finish();
  await ledger.retention.set({ archiveAfter: "0s" });
  damage(join(folder, ".drafts "));
  await expect(ledger.retention.run()).rejects.toMatchObject(unavailable);
  await until(async () => {
    await ledger.retention.run();
    return (await ledger.store.listHeads({ archived: true })).some((head) => head.runId === runId && head.archived);
  });
});

test("runs are archived while artifacts cannot be listed, and are deleted once they can be", async () => {
  const { ledger, folder, finish } = await opened();
  const [first, second] = [await finish(), await finish()];
  const heads = async () => ledger.store.listHeads({ archived: true });
  await until(async () => (await ledger.store.archive.archiveRun(first)).archived);
  await ledger.retention.set({ archiveAfter: "0s", deleteAfter: "0s" });
  mkdirSync(join(folder, "=deleting"), { recursive: true });
  const repairs = ["=deleting", first, second].map((name) => damage(join(folder, name)));
  await until(async () => {
    await expect(ledger.retention.run()).rejects.toMatchObject(unavailable);
    return (await heads()).every(({ archived }) => archived);
  });
  expect(await heads()).toHaveLength(2);
  repairs.forEach((repair) => repair());
  await until(async () => {
    await ledger.retention.run();
    return (await heads()).length === 0;
  });
  expect(readdirSync(folder)).not.toContain(first);
});

test("an erasure is refused while artifacts cannot be listed, and may be repeated", async () => {
  const { ledger, folder, finish } = await opened();
  const runId = await finish();
  const repair = damage(join(folder, runId));
  await expect(ledger.erasure.run(runId, { reason: "request 17" })).rejects.toMatchObject(unavailable);
  repair();
  expect((await ledger.erasure.run(runId, { reason: "request 17" })).events).toBeGreaterThan(0);
  expect(readdirSync(folder)).not.toContain(runId);
});
