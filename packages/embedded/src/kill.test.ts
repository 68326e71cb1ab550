// @module-tag L-29
import { spawn } from "node:child_process";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { Appender, query } from "./test-support/appender.js";
import { usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { killOnlyProcesses, killOwners } from "./test-support/kill-repeatedly.js";
import { hasServerOtherThan, nothingIsLeft, processesOf, serverPid } from "./test-support/processes.js";
import { needTools } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";

test("after kill -9 of the owner, three times, an attached process takes over and no acknowledged row is lost", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  await killOwners(3);
});

test("after kill -9 of the only process, three times, its server ends and the next start has every acknowledged row", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  await killOnlyProcesses(3);
});

test("one of several attached processes takes over, and the others attach to it", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const others = [1, 2, 3].map(() => new Holder({ dataDir }));
  for (const other of others) await other.started();

  await owner.kill();
  const roles = () => Promise.all(others.map((other) => other.role()));
  await until(async () => (await roles()).includes("owner"));
  expect(await query(url, "SELECT 1")).toEqual([1]);
  expect((await roles()).sort()).toEqual(["attached", "attached", "owner"]);
  await Promise.all(others.map((other) => other.stop()));
  expect(processesOf(dataDir)).toEqual([]);
});

test("after kill -9 of the server, its owner restarts it and no acknowledged row is lost", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const appender = await Appender.start(url);
  for (let kill = 0; kill < 3; kill++) {
    await appender.goesOn();
    const killed = serverPid(dataDir);
    process.kill(killed, "SIGKILL");
    await until(() => hasServerOtherThan(killed, dataDir)); // backends of the killed server may acknowledge one more row
    await appender.goesOn();
  }
  await appender.stop();
  expect(await appender.lost()).toEqual([]);
  expect(await owner.role()).toBe("owner");
  await owner.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("without setpriv and flock, the server of a killed owner stays, and the next start reclaims it", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  const dataDir = await usedDataDir();
  const env = { PATH: "/nonexistent" };
  const owner = new Holder({ dataDir, env });
  const { url } = await owner.started();
  const appender = await Appender.start(url);
  await appender.goesOn();
  await owner.kill();
  await appender.goesOn();
  const orphan = serverPid(dataDir);

  const next = new Holder({ dataDir });
  expect(await next.started()).toMatchObject({ role: "owner", url });
  expect(serverPid(dataDir)).not.toBe(orphan);
  await appender.goesOn();
  await appender.stop();
  expect(await appender.lost()).toEqual([]);
  await next.kill();
  await nothingIsLeft(dataDir);
});

test("without setpriv and flock, an attached process detects that the owner was killed and reclaims the server", async () => {
  const dataDir = await usedDataDir();
  const env = { PATH: "/nonexistent" };
  const owner = new Holder({ dataDir, env });
  const { url } = await owner.started();
  const attached = new Holder({ dataDir, env });
  await attached.started();
  await owner.kill();
  await until(async () => (await attached.role()) === "owner");
  expect(await query(url, "SELECT 1")).toEqual([1]);
  await attached.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("a server starts although the pid of a killed one now belongs to another program", async () => {
  const dataDir = await usedDataDir();
  const lockFile = join(dataDir, "pgdata", "postmaster.pid");
  const owner = new Holder({ dataDir });
  await owner.started();
  owner.signal("SIGSTOP"); // so that it does not restart the server that is killed now
  process.kill(serverPid(dataDir), "SIGKILL");
  await owner.kill();
  await nothingIsLeft(dataDir);

  const bystander = startBystander(dataDir);
  writeFileSync(lockFile, readFileSync(lockFile, "utf8").replace(/^\d+/, String(bystander.pid)));
  const next = new Holder({ dataDir });
  expect(await next.started()).toMatchObject({ role: "owner" });
  expect(bystander.isAlive()).toBe(true);
  await next.stop();
});

test("a server starts although another one was killed before it wrote its lock file", async () => {
  const dataDir = await usedDataDir();
  const lockFile = join(dataDir, "pgdata", "postmaster.pid");
  const { uid, gid } = statSync(join(dataDir, "pgdata"));
  writeFileSync(lockFile, "");
  chownSync(lockFile, uid, gid);
  await using held = await startEmbeddedPostgres({ dataDir });
  expect(held.role).toBe("owner");
});

test("after kill -9 during a launch, the next start succeeds and no process is left", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  const dataDir = await usedDataDir();
  const killAtLaunch = `data:text/javascript,
    import childProcess from "node:child_process";
    import { syncBuiltinESMExports } from "node:module";
    const { spawn } = childProcess;
    childProcess.spawn = (...call) => {
      const child = spawn(...call);
      if (call[1].includes(process.env.PGDATA_TO_BE)) process.kill(process.pid, "SIGKILL");
      return child;
    };
    syncBuiltinESMExports();`;
  const env = { PGDATA_TO_BE: join(dataDir, "pgdata") };
  for (let kill = 0; kill < 5; kill++) {
    const killed = new Holder({ dataDir, env, nodeOptions: ["--import", killAtLaunch] });
    await expect(killed.started()).rejects.toThrow("exited without a result");
  }
  const next = new Holder({ dataDir });
  expect(await next.started()).toMatchObject({ role: "owner" });
  await next.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("a zombie in the lock file counts as dead", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const attached = new Holder({ dataDir });
  await attached.started();
  owner.signal("SIGSTOP"); // its dead child stays a zombie
  process.kill(serverPid(dataDir), "SIGKILL");
  await until(async () => (await attached.role()) === "owner");
  expect(await query(url, "SELECT 1")).toEqual([1]);
  owner.signal("SIGCONT");
  await until(async () => (await owner.role()) === "attached");
  await attached.stop();
});

test("a suspended server is stopped nevertheless", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  await owner.started();
  process.kill(serverPid(dataDir), "SIGSTOP");
  await owner.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

/** A harmless program of the server's user. PostgreSQL itself detects programs of other users. */
function startBystander(dataDir: string) {
  const { uid, gid } = statSync(join(dataDir, "pgdata"));
  const child = spawn("sleep", ["600"], { uid, gid });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pid: child.pid ?? 0, isAlive: () => child.exitCode === null && child.signalCode === null };
}
