import { spawn } from "node:child_process";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { Appender, query } from "./test-support/appender.js";
import { usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { hasServerOtherThan, nothingIsLeft, processesOf, serverPid, waitFor } from "./test-support/processes.js";

const KILLS = 10;

test("[L-29] ten times the owner is killed -9: an attached process takes over, no acknowledged row is lost, nothing is left", async () => {
  const dataDir = await usedDataDir();
  let owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const appender = await Appender.start(url);

  for (let kill = 0; kill < KILLS; kill++) {
    const attached = new Holder({ dataDir });
    expect(await attached.started()).toMatchObject({ role: "attached", url });
    await appender.goesOn();
    await owner.kill();
    await waitFor(async () => (await attached.role()) === "owner");
    await appender.goesOn();
    owner = attached;
  }

  await appender.stop();
  expect(await appender.lost()).toEqual([]);
  expect(appender.acknowledged.length).toBeGreaterThan(KILLS);
  await owner.kill();
  await nothingIsLeft(dataDir);
});

test("[L-29] ten times the only process is killed -9: its server ends, the next start has every acknowledged row", async () => {
  const dataDir = await usedDataDir();
  const first = new Holder({ dataDir });
  const { url } = await first.started();
  const appender = await Appender.start(url);
  await first.kill();

  for (let kill = 1; kill < KILLS; kill++) {
    const next = new Holder({ dataDir });
    expect((await next.started()).url).toBe(url);
    await appender.goesOn();
    await next.kill();
    await nothingIsLeft(dataDir);
  }

  await appender.stop();
  await using last = await startEmbeddedPostgres({ dataDir });
  expect(last.url).toBe(url);
  expect(await appender.lost()).toEqual([]);
  expect(appender.acknowledged.length).toBeGreaterThan(KILLS);
});

test("[L-29] of several attached processes one takes over, the others attach to it", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const others = [1, 2, 3].map(() => new Holder({ dataDir }));
  for (const other of others) await other.started();

  await owner.kill();
  const roles = () => Promise.all(others.map((other) => other.role()));
  await waitFor(async () => (await roles()).includes("owner"));
  expect(await query(url, "SELECT 1")).toEqual([1]);
  expect((await roles()).sort()).toEqual(["attached", "attached", "owner"]);
  await Promise.all(others.map((other) => other.stop()));
  expect(processesOf(dataDir)).toEqual([]);
});

test("[L-29] only the server is killed -9: its owner restarts it, and no acknowledged row is lost", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const appender = await Appender.start(url);
  for (let kill = 0; kill < 3; kill++) {
    await appender.goesOn();
    const killed = serverPid(dataDir);
    process.kill(killed, "SIGKILL");
    await waitFor(() => hasServerOtherThan(killed, dataDir)); // the dead one's backends may acknowledge a last row
    await appender.goesOn();
  }
  await appender.stop();
  expect(await appender.lost()).toEqual([]);
  expect(await owner.role()).toBe("owner");
  await owner.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("[L-29] without setpriv and flock a killed owner's server lives on, and the next start reclaims it", async () => {
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

test("[L-29] without setpriv and flock an attached process notices that the owner was killed, and reclaims the server", async () => {
  const dataDir = await usedDataDir();
  const env = { PATH: "/nonexistent" };
  const owner = new Holder({ dataDir, env });
  const { url } = await owner.started();
  const attached = new Holder({ dataDir, env });
  await attached.started();
  await owner.kill();
  await waitFor(async () => (await attached.role()) === "owner");
  expect(await query(url, "SELECT 1")).toEqual([1]);
  await attached.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("[L-29] a killed server's pid that now belongs to another program does not keep the next one from starting", async () => {
  const dataDir = await usedDataDir();
  const lockFile = join(dataDir, "pgdata", "postmaster.pid");
  const owner = new Holder({ dataDir });
  await owner.started();
  owner.signal("SIGSTOP"); // so that it does not restart what is killed now
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

test("[L-29] a server that was killed before it wrote its lock file does not keep the next one from starting", async () => {
  const dataDir = await usedDataDir();
  const lockFile = join(dataDir, "pgdata", "postmaster.pid");
  const { uid, gid } = statSync(join(dataDir, "pgdata"));
  writeFileSync(lockFile, "");
  chownSync(lockFile, uid, gid);
  await using held = await startEmbeddedPostgres({ dataDir });
  expect(held.role).toBe("owner");
});

test("[L-29] killed -9 in the moment of launching: the next start finds a way, and nothing is left", async () => {
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
    await expect(killed.started()).rejects.toThrow("ended without an answer");
  }
  const next = new Holder({ dataDir });
  expect(await next.started()).toMatchObject({ role: "owner" });
  await next.stop();
  expect(processesOf(dataDir)).toEqual([]);
});

test("[L-29] a zombie in the lock file counts as dead", async () => {
  const dataDir = await usedDataDir();
  const owner = new Holder({ dataDir });
  const { url } = await owner.started();
  const attached = new Holder({ dataDir });
  await attached.started();
  owner.signal("SIGSTOP"); // its dead child stays a zombie
  process.kill(serverPid(dataDir), "SIGKILL");
  await waitFor(async () => (await attached.role()) === "owner");
  expect(await query(url, "SELECT 1")).toEqual([1]);
  owner.signal("SIGCONT");
  await waitFor(async () => (await owner.role()) === "attached");
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

/** A harmless program of the server's own user: about another user's PostgreSQL itself would know better. */
function startBystander(dataDir: string) {
  const { uid, gid } = statSync(join(dataDir, "pgdata"));
  const child = spawn("sleep", ["600"], { uid, gid });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pid: child.pid ?? 0, isAlive: () => child.exitCode === null && child.signalCode === null };
}
