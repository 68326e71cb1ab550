import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { isSystemError } from "./failures.js";
import type { ServerUser } from "./server-user.js";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** `null` runs it as the user of this process. */
  readonly user: ServerUser | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Ended {
  /** `null` if a signal ended it, or if it did not start. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The reason why it did not start, like EACCES. `null` if it started. */
  readonly spawnFailure: string | null;
}

/** Excludes PG… and locale variables of the caller, and sets UTC for logs and defaults. */
export const plainEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
});

/** Runs a program until it exits, without a shell. */
export async function runProgram(program: Program): Promise<Ended> {
  try {
    return await collect(begin(program), program.input ?? "");
  } catch (error) {
    // Node throws some spawn errors, such as a refused change of user, and emits others.
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
    child.stdin.on("error", () => {}); // it exited before it read its input; its exit code shows why
    child.stdin.end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said, spawnFailure: null }));
  });
}

export const identity = (user: ServerUser | null) => (user === null ? {} : { uid: user.uid, gid: user.gid });
