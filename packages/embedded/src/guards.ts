import { canEnter } from "./reachability.js";
import { runProgram } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

/**
 * Prefixes for a command. Each replaces itself with the rest of the command, so that the pid stays that of our child.
 */
export interface Guards {
  /** The kernel sends the signal when the process that launched the program dies, for any reason. */
  readonly endWithParent: (signal: "INT" | "TERM") => readonly string[];
  /**
   * Allows one program per cluster, across containers too, where PostgreSQL's lock has no effect. Children of the
   * program hold the lock as well, so a server with live backends keeps it.
   */
  readonly oneAtATime: (pgdata: string) => readonly string[];
  /** Returns `true` if a program that `oneAtATime` allowed runs, even in another container. */
  readonly isTaken: (pgdata: string) => Promise<boolean>;
  /**
   * A name of a program that leads through our entry in /proc, and so exists only while we live. `endWithParent` has no
   * effect if we die before it is installed; a program that is started by such a name then fails to start.
   */
  readonly onlyWhileWeLive: (program: string) => string;
}

/** Exit code of `flock` if another process holds the directory. */
export const DIRECTORY_TAKEN = 75;

interface Circumstances {
  readonly user: ServerUser | null;
  /** A directory to try locks in, because not every file system supports them. */
  readonly directory: string;
}

/**
 * If a tool is missing (macOS, busybox), its guard is missing too. Then the next start reclaims a leftover server, and
 * only PostgreSQL's own lock decides.
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
    oneAtATime: (pgdata) => (canLock ? lockOf(pgdata) : []),
    isTaken: async (pgdata) => canLock && (await exitCode(guarded(lockOf(pgdata), "true", []))) === DIRECTORY_TAKEN,
    onlyWhileWeLive: (program) => (canDieWithUs && canSeeUs ? `${ourEntry}/../..${program}` : program),
  };
}

const lockOf = (pgdata: string): string[] => [
  "flock",
  "--nonblock",
  "--no-fork",
  "--conflict-exit-code",
  `${DIRECTORY_TAKEN}`,
  pgdata,
];

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return process.platform === "linux" && (await exitCode({ command, args })) === 0;
}

async function exitCode(program: { readonly command: string; readonly args: readonly string[] }) {
  return (await runProgram({ ...program, user: null })).code;
}

/** A command with its guards in front, as arguments of `spawn`. */
export function guarded(guards: readonly string[], command: string, args: readonly string[]) {
  const [first = command, ...rest] = [...guards, command, ...args];
  return { command: first, args: rest };
}
