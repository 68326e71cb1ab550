/**
 * Hides the environment that this process was started with. Linux shows it in `/proc/PID/environ` to all processes of the
 * user, and deleting a variable does not change that file: it shows the memory where the kernel put the variables.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** Positions in `/proc/PID/stat` after the name of the program, see proc_pid_stat(5). */
const ENV_START = 47;
const ENV_END = 48;

const MEMORY = "/proc/self/mem";

/** `true` if programs of the same user can still read the environment. `null` before the first call. */
let isReadable: boolean | null = null;

/**
 * Returns `true` if other programs of the user can still read it: a sandbox may refuse access to the memory. Does nothing on
 * systems without `/proc`.
 */
export function hideInitialEnvironment(memory = MEMORY): boolean {
  if (!isMainThread || process.platform !== "linux") return false; // a thread has only a copy of the variables
  isReadable ??= !hide(memory);
  return isReadable;
}

function hide(memory: string): boolean {
  for (const [name, value] of Object.entries(process.env)) process.env[name] = value; // moves each to other memory
  try {
    clearMemory(memory);
    return readFileSync("/proc/self/environ").every((byte) => byte === 0);
  } catch {
    return false;
  }
}

function clearMemory(path: string): void {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
  const size = end - start;
  if (!(start > 0 && size > 0) || readFileSync("/proc/self/environ").length !== size) return;
  const memory = openSync(path, "r+");
  try {
    writeSync(memory, Buffer.alloc(size), 0, size, start);
  } finally {
    closeSync(memory);
  }
}
