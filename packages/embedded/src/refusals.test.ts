// @module-tag L-29
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { query } from "./test-support/appender.js";
import { freshDirectory, usedDataDir } from "./test-support/directories.js";
import { Holder, type HolderOptions } from "./test-support/holder.js";
import { install, listing } from "./test-support/installation.js";
import { isRoot, processesOf } from "./test-support/processes.js";

/** A user that is neither root nor the user of root's servers if this process may choose, otherwise its own user. */
const STRANGER = 54_321;

test("a cluster that is open to other users is refused with a chmod command", async () => {
  const dataDir = await usedDataDir();
  chmodSync(join(dataDir, "pgdata"), 0o777);
  const refusal = await refusalOf({ dataDir });
  expect(refusal.code).toBe("EMBEDDED_PERMISSION");
  expect(refusal.message).toContain(`chmod 700 "${dataDir}/pgdata"`);
  chmodSync(join(dataDir, "pgdata"), 0o700);
  await (await startEmbeddedPostgres({ dataDir })).stop();
});

test("a read-only directory is refused with a remedy", async () => {
  const parent = freshDirectory();
  chmodSync(parent, 0o555);
  const refusal = await refusalOf({ dataDir: join(parent, "data"), ...asStranger() });
  expect(refusal.code).toBe("EMBEDDED_PERMISSION");
  expect(refusal.message).toContain(join(parent, "data"));
});

test("an empty, read-only file system is reported as such", async (context) => {
  const mounted = freshDirectory();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", mounted], { stdio: "pipe" });
  } catch {
    return context.skip("needs the right to mount a file system");
  }
  onTestFinished(() => void execFileSync("umount", [mounted]));
  const refusal = await refusalOf({ dataDir: join(mounted, "project", ".runledger") });
  expect(refusal).toMatchObject({ code: "EMBEDDED_PERMISSION" });
  expect(refusal.message).toContain("is on a read-only file system: choose another dataDir.");
});

test("a directory of another user is refused with a remedy", async (context) => {
  if (!isRoot) return context.skip("needs root, to be two users");
  const refusal = await refusalOf({ dataDir: await usedDataDir(), ...asStranger() });
  expect(refusal.code).toBe("EMBEDDED_PERMISSION");
});

test("for root, a directory that the server's user cannot enter is refused with a remedy and keeps its mode", async (context) => {
  if (!isRoot) return context.skip("only root's server runs as another user");
  const closed = freshDirectory();
  chmodSync(closed, 0o700);
  const refusal = await refusalOf({ dataDir: join(closed, "project", ".runledger") });
  expect(refusal.code).toBe("EMBEDDED_UNREACHABLE");
  expect(refusal.message).toContain(`cannot enter ${closed}: `);
  expect(statSync(closed).mode & 0o777).toBe(0o700);
  expect(listing(closed)).toEqual([]);
});

test("a closed and empty directory of root is opened for the server's user only", async (context) => {
  if (!isRoot) return context.skip("only root's server runs as another user");
  const dataDir = join(freshDirectory(), "data");
  mkdirSync(dataDir, { mode: 0o700 });
  await (await startEmbeddedPostgres({ dataDir })).stop();
  expect(statSync(dataDir).mode & 0o777).toBe(0o711);
});

test("root continues a cluster as the user it belongs to", async (context) => {
  if (!isRoot) return context.skip("needs root, to be two users");
  const dataDir = await usedDataDir();
  execFileSync("chown", ["-R", String(STRANGER), dataDir]);
  await using held = await startEmbeddedPostgres({ dataDir });
  expect(await query(held.url, "SELECT 1")).toEqual([1]);
  expect(statSync(join(dataDir, "server.log")).uid).toBe(STRANGER);
  expect(statSync(join(dataDir, "port")).uid).toBe(STRANGER);
});

test("a cluster that belongs to root is refused with a chown command", async (context) => {
  if (!isRoot) return context.skip("needs root");
  const dataDir = await usedDataDir();
  chownSync(join(dataDir, "pgdata"), 0, 0);
  const refusal = await refusalOf({ dataDir });
  expect(refusal.code).toBe("EMBEDDED_PERMISSION");
  expect(refusal.message).toContain("chown -R ");
});

test("a cluster of another version is refused with a remedy", async () => {
  const dataDir = await usedDataDir();
  writeFileSync(join(dataDir, "pgdata", "PG_VERSION"), "17\n");
  const refusal = await refusalOf({ dataDir });
  expect(refusal.code).toBe("EMBEDDED_OTHER_VERSION");
  expect(refusal.message).toMatch(/was made by PostgreSQL 17, and this is 18: /);
});

test("a folder that is not a cluster is refused and not changed", async () => {
  const dataDir = join(freshDirectory(), "data");
  mkdirSync(join(dataDir, "pgdata"), { recursive: true });
  if (isRoot) chownSync(join(dataDir, "pgdata"), 65_534, 65_534);
  writeFileSync(join(dataDir, "pgdata", "notes.txt"), "mine");
  const refusal = await refusalOf({ dataDir });
  expect(refusal.code).toBe("EMBEDDED_START_FAILED");
  expect(refusal.message).toContain("is not a PostgreSQL cluster");
  expect(listing(join(dataDir, "pgdata"))).toEqual(["notes.txt"]);
});

test("a full disk at the first start gives one line of error and leaves nothing; with free space it starts", async (context) => {
  const disk = mountSmallDisk(30);
  if (disk === null) return context.skip("needs root that may mount");
  const dataDir = join(disk, "data");
  const refusal = await refusalOf({ dataDir });
  expect(refusal.code).toBe("EMBEDDED_DISK_FULL");
  expect(listing(dataDir)).toEqual([".gitignore", "password"]);

  execFileSync("mount", ["-o", "remount,size=200m", disk]);
  await (await startEmbeddedPostgres({ dataDir })).stop();
});

test("a full disk at a later start gives one line of error; with free space every row is there", async (context) => {
  const disk = mountSmallDisk(200);
  if (disk === null) return context.skip("needs root that may mount");
  const dataDir = join(disk, "data");
  execFileSync("cp", ["-a", await usedDataDir(), dataDir]);
  const first = await startEmbeddedPostgres({ dataDir });
  await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await first.stop();

  const ballast = join(disk, "ballast");
  mkdirSync(ballast);
  for (let file = 0; statfsSync(disk).bavail > 0; file++) fill(join(ballast, String(file)));
  expect((await refusalOf({ dataDir })).code).toBe("EMBEDDED_DISK_FULL");
  rmSync(ballast, { recursive: true });
  await using second = await startEmbeddedPostgres({ dataDir });
  expect(await query(second.url, "SELECT n FROM kept")).toEqual([1]);
});

test("a path to a file, an empty path, a path with a line break and a path that is too long are refused", async () => {
  const file = join(freshDirectory(), "file");
  writeFileSync(file, "");
  await expect(startEmbeddedPostgres({ dataDir: file })).rejects.toMatchObject({ code: "EMBEDDED_START_FAILED" });
  await expect(startEmbeddedPostgres({ dataDir: join(file, "data") })).rejects.toMatchObject({
    code: "EMBEDDED_START_FAILED",
  });
  for (const dataDir of ["", "a\nb", `/tmp/${"x/".repeat(500)}`])
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

/** Checks that a refusal is one line without a password and leaves no process. */
async function refusalOf(options: HolderOptions) {
  const refusal = await new Holder(options).refused();
  expect(refusal.message).toMatch(/^.+: .+\.$/);
  expect(processesOf(options.dataDir)).toEqual([]);
  return refusal;
}

function asStranger(): Partial<HolderOptions> {
  if (!isRoot) return {};
  const { module, program } = install();
  return { uid: STRANGER, gid: STRANGER, module, program };
}

/** `null` if this process may not do it. */
function mountSmallDisk(megabytes: number): string | null {
  if (!isRoot) return null;
  const disk = freshDirectory();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync("umount", [disk]));
  return disk;
}

function fill(file: string): void {
  try {
    execFileSync("dd", ["if=/dev/zero", `of=${file}`, "bs=64k"], { stdio: "ignore" });
  } catch {
    // expected: no space left
  }
}
