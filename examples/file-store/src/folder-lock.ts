import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RetryError } from "@runledger/contracts";

/**
 * One process at a time: the tables are in its memory. The lock file contains the owner's process id, so that
 * another process can take over the lock of a dead one. (Two processes that find the same dead owner at the same instant
 * could both take it. An adapter for a real backend should use the backend's locks.)
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, "lock");
  const owner = Number(await readFile(file, "utf8").catch(() => "0"));
  if (owner > 0 && isRunning(owner)) throw taken(folder, owner);
  await rm(file, { force: true });
  await writeFile(file, String(process.pid), { flag: "wx" }).catch(() => {
    throw taken(folder, null);
  });
  return () => rm(file, { force: true });
}

function taken(folder: string, owner: number | null): RetryError {
  const who = owner === null ? "another process" : `process ${owner}`;
  return new RetryError("STORE_BUSY", `${folder} is in use by ${who}. Close it there, then try again.`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM"; // it is alive, and belongs to another user
  }
}
