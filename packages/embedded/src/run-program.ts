import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { isSystemError } from "./failures.js";
import type { ServerUser } from "./server-user.js";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Null = as ourselves. */
  readonly user: ServerUser | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Ended {
  /** Null = a signal ended it, or it never began. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it never began, like EACCES; null = it did begin. */
  readonly spawnFailure: string | null;
}

/** Nothing of the caller's PG… or locale variables may leak in, and times in logs and defaults are UTC. */
export const plainEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
});

/** Runs a program to its end. No shell is involved. */
export async function runProgram(program: Program): Promise<Ended> {
  try {
    return await collect(begin(program), program.input ?? "");
  } catch (error) {
    // Node throws some failures to start, a refused change of user among them, and emits others.
    if (!isSystemError(error)) throw error;
    return { code: null, stdout: "", stderr: "", spawnFailure: error.code ?? error.message };
  }
}

const begin = ({ command, args, user, env }: Program): ChildProcessWithoutNullStreams =>
  spawn(command, args, { cwd: "/", env: { ...plainEnvironment(), ...env }, ...identity(user) });

function collect(child: ChildProcessWithoutNullStreams, input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
    child.stdin.on("error", () => {}); // it ended before it had read its input: its exit code tells
    child.stdin.end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said, spawnFailure: null }));
  });
}

export const identity = (user: ServerUser | null) => (user === null ? {} : { uid: user.uid, gid: user.gid });
