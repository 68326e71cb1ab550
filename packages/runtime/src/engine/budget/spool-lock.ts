/**
 * The lock of a spool: a file that names its owner. The lock of a process that is gone is replaced. The folder of a spool
 * belongs to one machine, because only there a process can see that another one lives.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";

/** The locks that this process holds. Its pid may be that of an earlier owner, as in a container. */
const held = new Set<string>();

export interface SpoolLock {
  release(): Promise<void>;
}

/** Returns `null` if a living process holds the lock. */
export async function lockSpool(path: string): Promise<SpoolLock | null> {
  if (held.has(path)) return null;
  held.add(path);
  const isLocked = (await removeStale(path)) && (await create(path));
  if (!isLocked) held.delete(path);
  return isLocked ? { release: () => release(path) } : null;
}

async function release(path: string): Promise<void> {
  await rm(path, { force: true });
  held.delete(path);
}

/** A link appears with its content, so no other process reads a lock without an owner. */
async function create(path: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(self()), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns `false` if the owner lives. A process that replaced the lock in between gets it back. */
async function removeStale(path: string): Promise<boolean> {
  const found = await readFile(path, "utf8").catch(() => null);
  if (found === null) return true;
  if (lives(found)) return false;
  const moved = `${path}.${randomUUID()}`;
  const hasMoved = await rename(path, moved).then(
    () => true,
    () => false,
  );
  if (!hasMoved) return true; // another process has removed it; `create` decides
  if ((await readFile(moved, "utf8")) !== found) await link(moved, path).catch(() => {});
  await rm(moved, { force: true });
  return true;
}

interface Owner {
  readonly host: string;
  readonly pid: number;
  /** Distinguishes processes that had the same pid. Empty if the system does not show it. */
  readonly started: string;
}

function self(): Owner {
  return { host: hostname(), pid: process.pid, started: startOf(process.pid) };
}

function lives(text: string): boolean {
  const owner = ownerIn(text);
  if (owner === null) return false;
  if (owner.host !== hostname()) return true; // only its own machine shows whether it lives
  if (owner.pid === process.pid) return false; // `held` knows those of this process
  return exists(owner.pid) && (owner.started === "" || owner.started === startOf(owner.pid));
}

function ownerIn(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return null;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The time at which a process started, in ticks since the system did. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
