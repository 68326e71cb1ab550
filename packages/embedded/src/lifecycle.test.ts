// @module-tag L-29
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { query } from "./test-support/appender.js";
import { freshDataDir, freshDirectory, usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { isRoot, nothingIsLeft, processesOf, serverPid, uidOf } from "./test-support/processes.js";
import { until } from "@runledger/test-support/until";

test("the first start creates a cluster, and the second finds its data at the same URL", async () => {
  const dataDir = freshDataDir();
  const first = await startEmbeddedPostgres({ dataDir });
  expect(first).toMatchObject({ role: "owner", dataDir, version: expect.stringMatching(/^18\./) as string });
  await query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer");
  await first.stop();
  await first.stop();
  expect(processesOf(dataDir)).toEqual([]);

  await using second = await startEmbeddedPostgres({ dataDir });
  expect(second.url).toBe(first.url);
  expect(await query(second.url, "SELECT answer FROM kept")).toEqual([42]);
});

test("the server runs as an unprivileged user, even if root starts it", async () => {
  const dataDir = await usedDataDir();
  await using held = await startEmbeddedPostgres({ dataDir });
  const uid = uidOf(serverPid(held.dataDir));
  expect(uid).not.toBe(0);
  expect(uid).toBe(isRoot ? statSync(join(dataDir, "pgdata")).uid : process.getuid?.());
});

test("the directory protects its secrets and is ignored by git", async () => {
  const dataDir = freshDataDir();
  const held = await startEmbeddedPostgres({ dataDir });
  const password = new URL(held.url).password;
  expect(statSync(join(dataDir, "password")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, "password"), "utf8").trim()).toBe(password);
  expect(readFileSync(join(dataDir, ".gitignore"), "utf8")).toBe("*\n");
  await expect(query(held.url.replace(password, "guess"), "SELECT 1")).rejects.toThrow(/password authentication/);
  await held.stop();
  expect(readFileSync(join(dataDir, "server.log"), "utf8")).not.toContain(password);
});

test("settings guarantee synced commits, checksums, byte order and local connections only", async () => {
  await using held = await startEmbeddedPostgres({ dataDir: await usedDataDir() });
  const settings = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "server_encoding"];
  const shown = settings.map((name) => query(held.url, `SHOW ${name}`));
  expect((await Promise.all(shown)).flat()).toEqual(["on", "on", "on", "on", "UTF8"]);
  expect(await query(held.url, "SHOW listen_addresses")).toEqual(["127.0.0.1"]);
  expect(await query(held.url, "SHOW unix_socket_directories")).toEqual([""]);
  expect(await query(held.url, "SELECT 'a' < 'B'")).toEqual([false]);
});

test("a second process attaches, reads rows of the first, and does not stop the server", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  await query(url, "CREATE TABLE written AS SELECT 'by the first' AS text");

  const second = new Holder({ dataDir });
  const attached = await second.started();
  expect(attached).toMatchObject({ role: "attached", url });
  expect(await query(attached.url, "SELECT text FROM written")).toEqual(["by the first"]);

  await second.stop();
  expect(await query(url, "SELECT text FROM written")).toEqual(["by the first"]);
  await owner.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("when the owner stops, an attached process restarts the server behind the same URL", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  await query(url, "CREATE TABLE written AS SELECT 1 AS n");
  const second = new Holder({ dataDir });
  await second.started();

  await owner.stop();
  await until(async () => (await second.role()) === "owner");
  expect(await query(url, "SELECT n FROM written")).toEqual([1]);
  await second.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("after five concurrent first starts, one process owns the server and four are attached", async () => {
  const dataDir = freshDataDir();
  const holders = Array.from({ length: 5 }, () => new Holder({ dataDir }));
  const started = await Promise.all(holders.map((holder) => holder.started()));
  expect(started.map(({ role }) => role).sort()).toEqual(["attached", "attached", "attached", "attached", "owner"]);
  expect(new Set(started.map(({ url }) => url)).size).toBe(1);
  expect(await query(started[0]!.url, "SELECT 1")).toEqual([1]);

  for (const holder of holders) await holder.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("a program that exits without a stop leaves no server", async () => {
  const dataDir = await usedDataDir();
  const holder = new Holder({ dataDir });
  await holder.started();
  await holder.leave();
  await nothingIsLeft(dataDir);
});

test("directory names may contain spaces, quotes and non-Latin characters", async () => {
  const dataDir = join(freshDirectory(), "mein 'Projekt' \"ä\" $HOME 日本語");
  const first = await startEmbeddedPostgres({ dataDir });
  await first.stop();
  await using second = await startEmbeddedPostgres({ dataDir });
  expect(await query(second.url, "SELECT 1")).toEqual([1]);
});

test("a program without other work exits although it owns a server", async () => {
  const dataDir = await usedDataDir();
  const module = new URL("../dist/index.js", import.meta.url).href;
  const code = `await (await import(${JSON.stringify(module)})).startEmbeddedPostgres({ dataDir: process.env.DIR });`;
  const args = ["--input-type=module", "-e", code];
  execFileSync(process.execPath, args, { env: { ...process.env, DIR: dataDir }, timeout: 240_000 });
  await nothingIsLeft(dataDir);
});
