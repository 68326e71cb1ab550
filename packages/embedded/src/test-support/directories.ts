import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { startEmbeddedPostgres } from "../index.js";
import { sendSignal } from "../stop-server.js";
import { nothingIsLeft, processesOf } from "./processes.js";

/** Open to the user that runs the server of a root process. */
function newDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "runledger-embedded-")));
  chmodSync(directory, 0o755);
  return directory;
}

/** Removed after the test, with all processes that ran in it. */
export function freshDirectory(): string {
  const directory = newDirectory();
  onTestFinished(async () => {
    for (const pid of processesOf(directory)) sendSignal(pid, "SIGINT"); // a fast shutdown, for servers that a test left on purpose
    await nothingIsLeft(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });
  return directory;
}

/** A path that does not exist yet. The first start creates it. */
export const freshDataDir = (): string => join(freshDirectory(), "data");

/** A cluster that was started and stopped once. Each test file creates one, and its tests work on copies. */
export async function usedDataDir(): Promise<string> {
  original ??= makeOriginal();
  const dataDir = freshDataDir();
  execFileSync("cp", ["-a", await original, dataDir]);
  rmSync(join(dataDir, "port")); // copies run at the same time
  return dataDir;
}

let original: Promise<string> | undefined;

async function makeOriginal(): Promise<string> {
  const held = await startEmbeddedPostgres({ dataDir: join(newDirectory(), "data") });
  await held.stop();
  return held.dataDir;
}

// At the top level, because vitest accepts no such hook inside a test.
afterAll(async () => {
  if (original !== undefined) rmSync(dirname(await original), { recursive: true, force: true, maxRetries: 20 });
});
