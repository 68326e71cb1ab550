import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { until } from "@runledger/test-support/until";

export const isRoot = process.getuid?.() === 0;

/** Returns all processes of a data directory: servers name it, and their backends work in it. */
export function processesOf(dataDir: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && concerns(pid, dataDir));
}

function concerns(pid: number, dataDir: string): boolean {
  try {
    if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return false;
    return commandOf(pid).includes(`${dataDir}/`) || readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dataDir}/`);
  } catch {
    return false; // it has exited meanwhile, or belongs to another user
  }
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/** The server itself, as its lock file names it. */
export const serverPid = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, "pgdata", "postmaster.pid"), "utf8"), 10);

/** Returns `true` if the lock file, which exists only while a server runs, names another server. */
export function hasServerOtherThan(pid: number, dataDir: string): boolean {
  try {
    return ![pid, Number.NaN].includes(serverPid(dataDir));
  } catch {
    return false;
  }
}

export function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

export const nothingIsLeft = (dataDir: string): Promise<void> => until(() => processesOf(dataDir).length === 0);
