/**
 * Commands do not outlive their worker, however it ends. A small process beside it knows which process groups run and
 * what marks their environment; when the line to the worker breaks, it kills them. It sits in a session of its own, so
 * that what kills the worker's group does not reach it. One per worker, from its first command on.
 * The mark (Linux) is what finds a command that began in the very moment the worker died, and one that left its group.
 * Where the kernel offers it (`setpriv --pdeathsig`), the program itself is killed directly besides: that serves when
 * the guardian was killed too.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { findProgram, isProgram } from "./find-program.js";

export class Guardian {
  /** A variable that every command gets, and hands on to what it starts. */
  readonly mark = { RUNLEDGER_GUARD: randomUUID() };
  #process: ChildProcess | null = null;
  readonly #groups = new Set<number>();

  /** Beside the worker from here on. */
  stand(): void {
    if (this.#process !== null) return;
    this.#process = this.#start();
    for (const known of this.#groups) this.#tell(`+${known}\n`); // those of one that was lost
  }

  watch(group: number): void {
    this.#groups.add(group);
    this.#tell(`+${group}\n`);
  }

  forget(group: number): void {
    this.#groups.delete(group);
    this.#tell(`-${group}\n`);
  }

  close(): void {
    this.#process?.stdin?.end();
    this.#process = null;
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(line);
  }

  #start(): ChildProcess {
    const marked = `RUNLEDGER_GUARD=${this.mark.RUNLEDGER_GUARD}`;
    const script = `(${killOnceAlone.toString()})(${JSON.stringify(marked)})`;
    const child = spawn(process.execPath, ["-e", script], {
      detached: true,
      env: {},
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
    });
    const lost = (): void => {
      if (this.#process === child) this.#process = null;
    };
    child.once("error", lost).once("exit", lost);
    child.stdin.on("error", lost);
    child.unref();
    (child.stdin as Socket).unref(); // a worker that has nothing else to do may end
    return child;
  }
}

/** Runs in the guardian, as text: it may use nothing but what every Node.js process has. */
function killOnceAlone(marked: string): void {
  const fs = process.getBuiltinModule("node:fs");
  const groups = new Set<number>();
  let rest = "";

  const kill = (pid: number): void => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const isMarked = (pid: string): boolean => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(marked);
    } catch {
      return false; // somebody else's, or gone
    }
  };
  const killMarked = (rounds: number): void => {
    const pids = fs.existsSync("/proc/self/environ") ? fs.readdirSync("/proc").filter(isMarked) : [];
    for (const pid of pids) kill(Number(pid));
    if (pids.length > 0 && rounds > 0) setTimeout(() => killMarked(rounds - 1), 20); // one may just have begun another
  };

  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("+")) groups.add(Number(line.slice(1)));
      else groups.delete(Number(line.slice(1)));
    }
  });
  process.stdin.on("error", () => {}); // the line broke, which is what "close" says
  process.stdin.on("close", () => {
    for (const group of groups) kill(-group);
    killMarked(100);
  });
}

/**
 * Words to put before a command so that the kernel kills it with us; none where that is not offered. The second half is
 * found through our entry in /proc, and so only while we live: the signal says nothing when we die before it is set.
 */
export async function endWithParent(path: string): Promise<readonly string[]> {
  if (process.platform !== "linux") return [];
  const setpriv = await findProgram("setpriv", { path, cwd: "/" }).catch(() => null);
  if (setpriv === null) return [];
  const { stdout } = await promisify(execFile)(setpriv, ["--help"]).catch(() => ({ stdout: "" }));
  if (!stdout.includes("--pdeathsig")) return [];
  const whileWeLive = `/proc/${process.pid}/../..${setpriv}`;
  const again = (await isProgram(whileWeLive)) ? [whileWeLive, "--pdeathsig", "keep", "--"] : [];
  return [setpriv, "--pdeathsig", "KILL", "--", ...again];
}
