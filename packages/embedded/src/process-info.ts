import { readFile } from "node:fs/promises";
import { hasErrorCode } from "./failures.js";
import { runProgram } from "./run-program.js";

export interface ProcessInfo {
  readonly parentPid: number;
  /** Program and arguments, separated by spaces. */
  readonly command: string;
}

/** Returns `null` if there is no such process, or only its zombie. */
export function inspectProcess(pid: number): Promise<ProcessInfo | null> {
  return process.platform === "linux" ? inspectProc(pid) : inspectWithPs(pid);
}

async function inspectProc(pid: number): Promise<ProcessInfo | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
    // The second field, the name in parentheses, may contain spaces and parentheses.
    const [state = "X", parentPid = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return null;
    return { parentPid: Number(parentPid), command: commandLine.replaceAll("\0", " ").trimEnd() };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
}

async function inspectWithPs(pid: number): Promise<ProcessInfo | null> {
  const args = ["-ww", "-o", "ppid=,stat=,command=", "-p", String(pid)];
  const { stdout } = await runProgram({ command: "ps", args, user: null });
  const [, parentPid, state, command] = /^\s*(\d+)\s+(\S+)\s+(.*)$/m.exec(stdout) ?? [];
  if (parentPid === undefined || state === undefined || command === undefined || state.startsWith("Z")) return null;
  return { parentPid: Number(parentPid), command };
}

/** Also `true` for a zombie and for a process of another user, as PostgreSQL checks the pid of a lock file. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasErrorCode(error, "ESRCH");
  }
}
