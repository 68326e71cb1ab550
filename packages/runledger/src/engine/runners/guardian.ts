/**
 * Commands do not outlive their worker, however it ends. A small process beside it is told which process groups run;
 * when the line to the worker breaks, it kills them. It sits in a session of its own, so that what kills the worker's
 * group does not reach it. One per worker, from its first command on.
 * Where the kernel offers it (Linux, `setpriv --pdeathsig`), a command is also killed directly: that covers the moment
 * before the guardian knows of it, and a guardian that is itself killed. A process that leaves its group (setsid) and
 * survives both is beyond us.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { findProgram, isProgram } from "./find-program.js";

export class Guardian {
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
    const script = `(${killGroupsOnceAlone.toString()})()`;
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
function killGroupsOnceAlone(): void {
  const groups = new Set<number>();
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const group = Number(line.slice(1));
      if (line.startsWith("+")) groups.add(group);
      else groups.delete(group);
    }
  });
  process.stdin.on("error", () => {}); // the line broke, which is what "close" says
  process.stdin.on("close", () => {
    for (const group of groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
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
