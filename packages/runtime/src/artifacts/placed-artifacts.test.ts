// @module-tag D-01
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { FolderStorage } from "./folder-storage.js";
import { PlacedArtifacts } from "./placed-artifacts.js";

test("a late attempt leaves no object of a run that was deleted during the upload", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const storage = new FolderStorage(pathToFileURL(folder).href);
  let isDeleted = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("rows");
    isDeleted = true;
  }
  const artifacts = new PlacedArtifacts(storage, async () => !isDeleted);
  const writing = artifacts.write({ artifact: { runId: "late", kind: "rows" }, content: content() });
  await expect(writing).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  const left: string[] = [];
  for await (const { key } of storage.list({ prefix: "" })) left.push(key);
  expect(left).toEqual([]);
});

/** Loses the last bytes of every object. */
class LossyStorage extends FolderStorage {
  override create({ key, content }: Parameters<FolderStorage["create"]>[0]): Promise<void> {
    async function* shortened(): AsyncGenerator<Uint8Array> {
      for await (const piece of content) yield piece.subarray(0, piece.byteLength - 1);
    }
    return super.create({ key, content: shortened() });
  }
}

test("an artifact that was not stored whole is removed, and its writer gets ARTIFACT_DAMAGED", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const storage = new LossyStorage(pathToFileURL(folder).href);
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("rows");
  }
  const artifacts = new PlacedArtifacts(storage, async () => true);
  const writing = artifacts.write({ artifact: { runId: "lossy", kind: "rows" }, content: content() });
  await expect(writing).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED", family: "stop" });
  expect(await artifacts.list({ runId: "lossy" })).toEqual([]);
});
