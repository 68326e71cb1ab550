import { open, readFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "./failures.js";
import { inspectProcess, processExists, type ProcessInfo } from "./process-info.js";

/** A setting of our own, which PostgreSQL ignores and the process list shows: who launched this server. */
export const OWNER_SETTING = "runledger.owner";

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** False = it is starting, or on its way out. */
  readonly ready: boolean;
  /** Its launcher is dead, and it has been handed to another parent: nobody would ever stop it. */
  readonly orphaned: boolean;
}

interface LockFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/** The live server of a cluster, or null. A lock file alone proves nothing: its pid may be another program's by now. */
export async function findServer(pgdata: string): Promise<RunningServer | null> {
  const lock = await readLockFile(pgdata);
  if (lock === null) return null;
  const server = await inspectServer(lock.pid, pgdata);
  if (server === null) return null;
  return { pid: lock.pid, port: lock.port, ready: lock.status === "ready", orphaned: isOrphaned(server) };
}

/** The process, if it is a server of this cluster. */
export async function inspectServer(pid: number, pgdata: string): Promise<ProcessInfo | null> {
  const info = await inspectProcess(pid);
  return info !== null && `${info.command} `.includes(` -D ${pgdata} `) ? info : null;
}

/** The kernel's word, safe from recycled pids: a dead parent's children are handed on at once. */
function isOrphaned({ command, parentPid }: ProcessInfo): boolean {
  const owner = new RegExp(`${OWNER_SETTING}=(\\d+)`).exec(command)?.[1];
  return owner !== undefined && Number(owner) !== parentPid;
}

/** No process has it: Linux ends at 2^22, macOS at 99999. */
const NOBODYS_PID = 2 ** 31 - 1;

/** A server writes its lock file at once after making it. One that is still empty later on was killed in between. */
const EMPTY_FOR_MS = 2_000;

/**
 * PostgreSQL believes a lock file whose pid exists, be it a zombie's or that of a program that got the number since,
 * and one that is empty; it refuses to start, and asks for a manual clean-up. Such a pid is replaced by one that cannot
 * exist. The file stays, since its other lines let PostgreSQL find backends that outlived their server. Written in
 * place: whoever starts meanwhile makes a new file, which this cannot touch.
 */
export async function disarmStaleLockFile(pgdata: string): Promise<void> {
  const file = await openLockFile(pgdata);
  if (file === null) return;
  try {
    const content = await file.readFile("utf8");
    const age = Date.now() - (await file.stat()).mtimeMs;
    if (content === "" ? age < EMPTY_FOR_MS : await isHonest(parseLockFile(content), pgdata)) return;
    const disarmed = Buffer.from(content.replace(/^.*/, String(NOBODYS_PID)));
    await file.write(disarmed, 0, disarmed.length, 0);
    await file.truncate(disarmed.length);
  } finally {
    await file.close();
  }
}

/** It names a server of this cluster, or a process that is gone, which PostgreSQL finds out by itself. */
async function isHonest({ pid }: LockFile, pgdata: string): Promise<boolean> {
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
    return lock.pid === 0 ? null : lock; // zero: made a moment ago and not written yet
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
