// @module-tag L-29
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { query } from "./test-support/appender.js";
import { usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { nothingIsLeft, serverPid } from "./test-support/processes.js";
import { until } from "@runledger/test-support/until";

test("if another program took the port, the next start uses another one", async () => {
  const dataDir = await usedDataDir();
  const first = await startEmbeddedPostgres({ dataDir });
  await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await first.stop();
  const squatter = await listenOn(portOf(first.url));

  await using second = await startEmbeddedPostgres({ dataDir });
  expect(portOf(second.url)).not.toBe(portOf(first.url));
  expect(await query(second.url, "SELECT n FROM kept")).toEqual([1]);
  squatter.close();
});

test("if the port is taken before a takeover, one line reports it, and the server restarts when the port is free", async () => {
  const dataDir = await usedDataDir();
  const held = new Holder({ dataDir });
  const { url } = await held.started();
  held.signal("SIGSTOP"); // so that this process is first
  process.kill(serverPid(dataDir), "SIGKILL");
  await nothingIsLeft(dataDir);
  const squatter = await listenOn(portOf(url));
  held.signal("SIGCONT");

  await until(async () => (await held.role()) === "owner" && held.logged.length > 0);
  expect(held.logged).toEqual([expect.stringMatching(`another program has taken its port ${portOf(url)}: `)]);
  squatter.close();
  await until(() => held.role().then(() => held.logged.length > 1));
  expect(await query(url, "SELECT 1")).toEqual([1]);
  await held.stop();
});

test("processes that use the old port get a report that the server moved", async () => {
  const dataDir = await usedDataDir();
  const held = new Holder({ dataDir });
  const { url } = await held.started();
  held.signal("SIGSTOP");
  process.kill(serverPid(dataDir), "SIGKILL");
  await nothingIsLeft(dataDir);
  const squatter = await listenOn(portOf(url));
  await using newcomer = await startEmbeddedPostgres({ dataDir });
  held.signal("SIGCONT");

  await until(() => held.role().then(() => held.logged.length > 0));
  expect(held.logged[0]).toContain(`from port ${portOf(url)}, which was taken, to ${portOf(newcomer.url)}: `);
  expect(await held.role()).toBe("attached");
  await held.stop();
  squatter.close();
});

test("a missing password file is created again, and the cluster accepts it", async () => {
  const dataDir = await usedDataDir();
  const first = await startEmbeddedPostgres({ dataDir });
  await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await first.stop();
  rmSync(join(dataDir, "password"));

  await using second = await startEmbeddedPostgres({ dataDir });
  expect(second.url).not.toBe(first.url);
  expect(await query(second.url, "SELECT n FROM kept")).toEqual([1]);
  expect(readFileSync(join(dataDir, "password"), "utf8").trim()).toBe(new URL(second.url).password);
});

test("a password file that is missing while the server runs gives an error with a remedy", async () => {
  const dataDir = await usedDataDir();
  const held = new Holder({ dataDir });
  await held.started();
  rmSync(join(dataDir, "password"));
  const { code, message } = await new Holder({ dataDir }).refused();
  expect(code).toBe("EMBEDDED_START_FAILED");
  expect(message).toContain(`stop the program that launched it (its server has pid ${serverPid(dataDir)})`);
});

test("an invalid port file is replaced", async () => {
  const dataDir = await usedDataDir();
  writeFileSync(join(dataDir, "port"), "eighty");
  await using held = await startEmbeddedPostgres({ dataDir });
  expect(readFileSync(join(dataDir, "port"), "utf8").trim()).toBe(String(portOf(held.url)));
});

test("two users in one program: the second attaches, and continues when the first stops", async () => {
  const dataDir = await usedDataDir();
  const first = await startEmbeddedPostgres({ dataDir });
  await using second = await startEmbeddedPostgres({ dataDir });
  expect([first.role, second.role]).toEqual(["owner", "attached"]);
  await first.stop();
  await until(() => second.role === "owner");
  expect(await query(second.url, "SELECT 1")).toEqual([1]);
});

const portOf = (url: string): number => Number(new URL(url).port);

async function listenOn(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return server;
}
