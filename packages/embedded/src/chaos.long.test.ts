// @module-tag L-29
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "./index.js";
import { Appender } from "./test-support/appender.js";
import { usedDataDir } from "./test-support/directories.js";
import { Holder } from "./test-support/holder.js";
import { nothingIsLeft, serverPid } from "./test-support/processes.js";

const DURATION_MS = 120_000;

/** Starts, stops, suspends and kills processes and the server at random, while a client appends. */
test("processes and servers die at random, no acknowledged row is lost, and no process is left", async () => {
  const dataDir = await usedDataDir();
  const first = new Holder({ dataDir });
  const { url } = await first.started();
  const appender = await Appender.start(url);
  const holders = [first];

  for (const end = Date.now() + DURATION_MS; Date.now() < end; await sleep(Math.random() * 400)) {
    const dice = Math.random();
    const index = Math.floor(Math.random() * holders.length);
    if (holders.length < 3 || dice < 0.3) holders.push(new Holder({ dataDir }));
    else if (dice < 0.7) await holders.splice(index, 1)[0]?.kill();
    else if (dice < 0.8) killServer(dataDir);
    else suspend(holders[index]);
    if (holders.length > 6) await holders.shift()?.kill();
  }

  for (const holder of holders) await holder.kill();
  await nothingIsLeft(dataDir);
  await appender.stop();
  await using last = await startEmbeddedPostgres({ dataDir });
  expect(last.url).toBe(url);
  expect(await appender.lost()).toEqual([]);
});

function killServer(dataDir: string): void {
  if (!existsSync(join(dataDir, "pgdata", "postmaster.pid"))) return;
  try {
    process.kill(serverPid(dataDir), "SIGKILL");
  } catch {
    // it has just exited
  }
}

function suspend(holder: Holder | undefined): void {
  holder?.signal("SIGSTOP");
  setTimeout(() => holder?.signal("SIGCONT"), 700);
}
