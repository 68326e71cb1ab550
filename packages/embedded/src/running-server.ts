import { open, readFile, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "./failures.js";
import { inspectProcess, processExists, type ProcessInfo } from "./process-info.js";

/** Our own setting. PostgreSQL ignores it, and the process list shows which process launched the server. */
export const OWNER_SETTING = "runledger.owner";

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** `false` while the server is starting or stopping. */
  readonly ready: boolean;
  /** `true` if its launcher is dead, so that no process would stop it. */
  readonly orphaned: boolean;
}

interface LockFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/**
 * Returns the live server of a cluster, or `null`. A lock file alone proves nothing: another program may have its pid
 * by now.
 */
export async function findServer(pgdata: string): Promise<RunningServer | null> {
  const lock = await readLockFile(pgdata);
  if (lock === null) return null;
  const server = await inspectServer(lock.pid, pgdata);
  if (server === null) return null;
  return { pid: lock.pid, port: lock.port, ready: isReady(lock.status), orphaned: isOrphaned(server) };
}

/** A standby accepts connections, too. */
const isReady = (status: string): boolean => status === "ready" || status === "standby";

/**
 * Returns the process if it is a server of this cluster. Another process may have launched it under another path of the
 * directory, such as a bind mount. A server works in its directory.
 */
export async function inspectServer(pid: number, pgdata: string): Promise<ProcessInfo | null> {
  const info = await inspectProcess(pid);
  if (info === null || !info.command.includes(" -D ")) return null;
  const isOurs = `${info.command} `.includes(` -D ${pgdata} `) || (await isSameFolder(`/proc/${pid}/cwd`, pgdata));
  return isOurs ? info : null;
}

/** `false` if one of them is absent or closed to this user, and on systems without /proc. */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a !== null && b !== null && a!.dev === b!.dev && a!.ino === b!.ino;
}

/**
 * Reads the parent from the kernel, which is safe from recycled pids: children of a dead parent get a new one at once.
 */
function isOrphaned({ command, parentPid }: ProcessInfo): boolean {
  const owner = new RegExp(`${OWNER_SETTING}=(\\d+)`).exec(command)?.[1];
  return owner !== undefined && Number(owner) !== parentPid;
}

/** No process has this pid: Linux ends at 2^22, macOS at 99999. */
const NOBODYS_PID = 2 ** 31 - 1;

/**
 * A server writes its lock file right after creating it. A file that stays empty belongs to a server that was killed in
 * between.
 */
const EMPTY_FOR_MS = 2_000;

/**
 * PostgreSQL trusts a lock file whose pid exists, even if it is a zombie or another program, and one that is empty. It
 * refuses to start and requires a manual cleanup. So the pid is replaced by one that cannot exist. The file stays,
 * because its other lines let PostgreSQL find backends that outlived their server. It is written in place: a server
 * that starts meanwhile creates a new file, which this write cannot affect.
 */
export async function disarmStaleLockFile(pgdata: string): Promise<void> {
  const file = await openLockFile(pgdata);
  if (file === null) return;
  try {
    const content = await file.readFile("utf8");
    const age = Date.now() - (await file.stat()).mtimeMs;
    if (content === "" ? age < EMPTY_FOR_MS : await isTrustworthy(parseLockFile(content), pgdata)) return;
    const disarmed = Buffer.from(content.replace(/^.*/, String(NOBODYS_PID)));
    await file.write(disarmed, 0, disarmed.length, 0);
    await file.truncate(disarmed.length);
  } finally {
    await file.close();
  }
}

/** Returns `true` if the file names a server of this cluster, or a dead process, which PostgreSQL detects itself. */
async function isTrustworthy({ pid }: LockFile, pgdata: string): Promise<boolean> {
  return !processExists(pid) || (await inspectServer(pid, pgdata)) !== null;
}

async function openLockFile(pgdata: string): Promise<FileHandle | null> {
  try {
    return await open(lockFileOf(pgdata), "r+");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

async function readLockFile(pgdata: string): Promise<LockFile | null> {
  try {
    const lock = parseLockFile(await readFile(lockFileOf(pgdata), "utf8"));
    return lock.pid === 0 ? null : lock; // zero: created a moment ago and not written yet
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

const lockFileOf = (pgdata: string): string => join(pgdata, "postmaster.pid");

/** Lines: pid (negative for a single-user server), directory, start, port, socket, address, shared memory, status. */
function parseLockFile(content: string): LockFile {
  const lines = content.split("\n");
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  return { pid: Number.isNaN(pid) ? 0 : pid, port: Number(lines[3]), status: (lines[7] ?? "").trim() };
}
