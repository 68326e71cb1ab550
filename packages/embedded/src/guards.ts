import { canEnter } from "./reachability.js";
import { runProgram } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

/** Words to put before a command. All replace themselves by what follows, so that the pid stays that of our child. */
export interface Guards {
  /** The kernel sends the signal when the process that launched the program dies, however it dies. */
  readonly endWithParent: (signal: "INT" | "TERM") => readonly string[];
  /**
   * Only one program per cluster, across containers too, which PostgreSQL's own lock cannot see; its children hold
   * the lock as well, so that a server whose backends still live has not let go.
   */
  readonly oneAtATime: (pgdata: string) => readonly string[];
  /**
   * A name for a program that leads through our entry in /proc, and so is found only while we live. `endWithParent`
   * says nothing when we die before it takes effect; a program that is started after it, by such a name, is not.
   */
  readonly onlyWhileWeLive: (program: string) => string;
}

/** How `flock` ends when another holds the directory. */
export const DIRECTORY_TAKEN = 75;

interface Circumstances {
  readonly user: ServerUser | null;
  /** Tried, since not every file system knows locks. */
  readonly directory: string;
}

/**
 * Where a tool is missing (macOS, busybox) its guard is too: then a left-over server is reclaimed at the next start,
 * and PostgreSQL's own lock decides alone.
 */
export async function findGuards({ user, directory }: Circumstances): Promise<Guards> {
  const ourEntry = `/proc/${process.pid}`;
  const [canDieWithUs, canLock, canSeeUs] = await Promise.all([
    succeeds("setpriv", ["--pdeathsig", "TERM", "true"]),
    succeeds("flock", ["--shared", "--nonblock", "--no-fork", directory, "true"]),
    canEnter(ourEntry, user), // false when /proc is mounted with hidepid
  ]);
  return {
    endWithParent: (signal) => (canDieWithUs ? ["setpriv", "--pdeathsig", signal] : []),
    oneAtATime: (pgdata) =>
      canLock ? ["flock", "--nonblock", "--no-fork", "--conflict-exit-code", `${DIRECTORY_TAKEN}`, pgdata] : [],
    onlyWhileWeLive: (program) => (canDieWithUs && canSeeUs ? `${ourEntry}/../..${program}` : program),
  };
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { code } = await runProgram({ command, args, user: null });
  return code === 0;
}

/** A command with its guards before it, as `spawn` takes it. */
export function guarded(guards: readonly string[], command: string, args: readonly string[]) {
  const [first = command, ...rest] = [...guards, command, ...args];
  return { command: first, args: rest };
}
