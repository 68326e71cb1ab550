import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const isRoot = process.getuid?.() === 0;

/** Everything that runs on a data directory: its servers name it, their backends work in it. */
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
    return false; // it has ended meanwhile, or is another user's
  }
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/** The server itself, as its lock file names it. */
export const serverPid = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, "pgdata", "postmaster.pid"), "utf8"), 10);

/** Whether the lock file, which comes and goes with servers, names another one by now. */
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

/** Asks until the answer is yes. The test's own limit is the only one. */
export async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

export const nothingIsLeft = (dataDir: string): Promise<void> => waitFor(() => processesOf(dataDir).length === 0);
