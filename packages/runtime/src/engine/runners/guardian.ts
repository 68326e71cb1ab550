/**
 * Makes sure that commands do not outlive their worker. A guardian process knows the running process groups and the marker
 * in their environment, and kills them when its pipe to the worker closes. It has its own session, so a signal to the
 * worker's group does not reach it. Each worker starts one with its first command.
 * The marker (Linux) finds a command that started at the moment the worker died, or that left its group. Where available,
 * `setpriv --pdeathsig` also makes the kernel kill the program directly, in case the guardian was killed too.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { findProgram, isProgram } from "./find-program.js";

export class Guardian {
  /** The environment variable that marks every command and its children. */
  readonly mark = { RUNLEDGER_GUARD: randomUUID() };
  #process: ChildProcess | null = null;
  readonly #groups = new Set<number>();

  /** Starts the guardian process. */
  stand(): void {
    if (this.#process !== null) return;
    this.#process = this.#start();
    for (const known of this.#groups) this.#tell(`+${known}\n`); // groups of a lost guardian
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
    (child.stdin as Socket).unref(); // does not keep the worker's event loop alive
    return child;
  }
}

/** Runs in the guardian, passed as source text, so it may use only Node.js built-ins. */
function killOnceAlone(marked: string): void {
  const fs = process.getBuiltinModule("node:fs");
  const groups = new Set<number>();
  let rest = "";

  const kill = (pid: number): void => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The group already exited.
    }
  };
  const isMarked = (pid: string): boolean => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(marked);
    } catch {
      return false; // another user's process, or gone
    }
  };
  const killMarked = (rounds: number): void => {
    const pids = fs.existsSync("/proc/self/environ") ? fs.readdirSync("/proc").filter(isMarked) : [];
    for (const pid of pids) kill(Number(pid));
    if (pids.length > 0 && rounds > 0) setTimeout(() => killMarked(rounds - 1), 20); // a process may have just forked
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
  process.stdin.on("error", () => {}); // a broken pipe; "close" follows
  process.stdin.on("close", () => {
    for (const group of groups) kill(-group);
    killMarked(100);
  });
}

/**
 * Returns a command prefix that makes the kernel kill the program when this process dies; empty where unsupported. The
 * prefix resolves the program through our /proc entry, so it fails if we died before the signal was set.
 */
export async function endWithParent(path: string): Promise<readonly string[]> {
  if (process.platform !== "linux") return [];
  const setpriv = await findProgram("setpriv", { path, cwd: "/" }).catch(() => null);
  if (setpriv === null) return [];
  const { stdout } = await promisify(execFile)(setpriv, ["--help"], { env: {} }).catch(() => ({ stdout: "" }));
  if (!stdout.includes("--pdeathsig")) return [];
  const whileWeLive = `/proc/${process.pid}/../..${setpriv}`;
  const again = (await isProgram(whileWeLive)) ? [whileWeLive, "--pdeathsig", "keep", "--"] : [];
  return [setpriv, "--pdeathsig", "KILL", "--", ...again];
}
