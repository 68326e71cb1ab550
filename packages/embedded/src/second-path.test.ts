// @module-tag R-07
/** A directory is one cluster under every path, and only a process that could launch its server touches the lock file. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { query } from "./test-support/appender.js";
import { freshDirectory, usedDataDir } from "./test-support/directories.js";

const lockFile = (dataDir: string): string => readFileSync(join(dataDir, "pgdata", "postmaster.pid"), "utf8");

function bindMount(context: TestContext, dataDir: string): string {
  const other = join(freshDirectory(), "other");
  mkdirSync(other);
  try {
    execFileSync("mount", ["--bind", dataDir, other], { stdio: "pipe" });
  } catch {
    context.skip("needs the right to mount a directory");
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", other]));
  return other;
}

function link(_: TestContext, dataDir: string): string {
  const other = join(freshDirectory(), "other");
  symlinkSync(dataDir, other);
  return other;
}

test.for([
  ["a bind mount", bindMount],
  ["a symbolic link", link],
] as const)("a process that opens a directory through %s attaches to its server", async ([, make], context) => {
  const dataDir = await usedDataDir();
  await using owner = await startEmbeddedPostgres({ dataDir });
  const before = lockFile(dataDir);
  await using other = await startEmbeddedPostgres({ dataDir: make(context, dataDir) });
  expect([other.role, new URL(other.url).port]).toEqual(["attached", new URL(owner.url).port]);
  expect(lockFile(dataDir)).toBe(before);
  expect(await query(other.url, "SELECT 1")).toEqual([1]);
});

test("a lock file with a foreign pid stays while another process holds the directory, perhaps in a container", async () => {
  const dataDir = await usedDataDir();
  const pgdata = join(dataDir, "pgdata");
  const content = `${process.pid}\n${pgdata}\n0\n1\n\n127.0.0.1\n1 1\nready   \n`;
  writeFileSync(join(pgdata, "postmaster.pid"), content);
  const holder = spawn("flock", ["--no-fork", pgdata, "cat"], { stdio: ["pipe", "pipe", "inherit"] });
  holder.stdin.write("held\n");
  await once(holder.stdout, "data");
  const starting = startEmbeddedPostgres({ dataDir });
  await sleep(1500); // long enough for several attempts
  expect(lockFile(dataDir)).toBe(content);
  holder.stdin.end();
  await using started = await starting;
  expect(started.role).toBe("owner");
});

test("a directory that cannot be created is refused instead of tried forever", async () => {
  for (const dataDir of ["/proc/foo", "/proc/foo/bar"])
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: "EMBEDDED_START_FAILED" });
});
