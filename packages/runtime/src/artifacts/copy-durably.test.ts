// @module-tag D-01
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyDurably } from "./copy-durably.js";

test("a copy takes a free name, replaces nothing, and leaves no file when it fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to, other] = ["from", "to", "other"].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(from, "rows");
  await copyDurably(from, to);
  writeFileSync(from, "others");
  await expect(copyDurably(from, to)).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(to, "utf8")).toBe("rows");
  await expect(copyDurably(folder, other)).rejects.toThrow(/copyfile/);
  expect(existsSync(other)).toBe(false);
});
