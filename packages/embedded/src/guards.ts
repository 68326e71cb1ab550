import { runProgram } from "./run-program.js";

/** Words to put before a command. All replace themselves by what follows, so that the pid stays that of our child. */
export interface Guards {
  /** The kernel sends the signal when the process that launched the program dies, however it dies. */
  readonly endWithParent: (signal: "INT" | "TERM") => readonly string[];
  /**
   * Only one program per directory, across containers too, which PostgreSQL's own lock cannot see; its children hold
   * the lock as well, so that a server whose backends still live has not let go.
   */
  readonly oneAtATime: (directory: string) => readonly string[];
}

/** How `flock` ends when another holds the directory. */
export const DIRECTORY_TAKEN = 75;

/** Where a tool is missing (macOS, busybox) its guard is too: then a left-over server is reclaimed at the next start. */
export async function findGuards(): Promise<Guards> {
  const [hasPdeathsig, hasFlock] = await Promise.all([offers("setpriv", "--pdeathsig"), offers("flock", "--no-fork")]);
  return {
    endWithParent: (signal) => (hasPdeathsig ? ["setpriv", "--pdeathsig", signal] : []),
    oneAtATime: (directory) =>
      hasFlock ? ["flock", "--nonblock", "--no-fork", "--conflict-exit-code", `${DIRECTORY_TAKEN}`, directory] : [],
  };
}

async function offers(command: string, option: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { stdout } = await runProgram({ command, args: ["--help"], user: null });
  return stdout.includes(option);
}

/** A command with its guards before it, as `spawn` takes it. */
export function guarded(guards: readonly string[], command: string, args: readonly string[]) {
  const [first = command, ...rest] = [...guards, command, ...args];
  return { command: first, args: rest };
}
