import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Guardian } from "./guardian.js";

/** How long the pipes of a command that has ended may stay open: somebody who left its group still holds them. */
const DRAIN_MS = 1000;
/** How often it is looked whether anybody is left. */
const LOOK_MS = 20;

export interface GroupOptions {
  /** Words before the program, which replace themselves by it. */
  readonly guards: readonly string[];
  /** With its whole path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a command ended. */
export interface Exit {
  /** Null = a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program in a process group of its own: what it starts is stopped with it. No shell is involved. */
export class ProcessGroup {
  readonly #guardian: Guardian;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  /** When whoever is left is killed, once it has been asked to stop. */
  #killAt = 0;

  static async start(options: GroupOptions, guardian: Guardian): Promise<ProcessGroup> {
    const { guards, program, cwd, env } = options;
    const [first = program, ...args] = [...guards, program, ...options.args];
    guardian.stand(); // before there is anything to guard: it needs a moment
    const child = spawn(first, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) guardian.watch(child.pid);
    await once(child, "spawn"); // throws where it could not begin
    return new ProcessGroup(child, guardian);
  }

  private constructor(child: ChildProcessByStdio<null, Readable, Readable>, guardian: Guardian) {
    this.#child = child;
    this.#guardian = guardian;
  }

  get outputs(): { readonly stdout: Readable; readonly stderr: Readable } {
    return { stdout: this.#child.stdout, stderr: this.#child.stderr };
  }

  /** SIGTERM to all of it, and SIGKILL to what is left after `graceMs`. */
  stop(graceMs: number): void {
    this.#killAt = Date.now() + graceMs;
    this.#signal("SIGTERM");
    const timer = setTimeout(() => this.#signal("SIGKILL"), graceMs);
    this.#child.once("exit", () => clearTimeout(timer));
  }

  /** Resolves when nothing of it is left: what the program itself leaves behind ends with it. */
  async ended(): Promise<Exit> {
    const [code, signal] = await this.#exit();
    while (Date.now() < this.#killAt && this.#signal(0)) await sleep(LOOK_MS);
    this.#signal("SIGKILL");
    this.#guardian.forget(this.#child.pid!);
    setTimeout(() => this.#dropPipes(), DRAIN_MS).unref();
    return { code, signal };
  }

  async #exit(): Promise<[number | null, NodeJS.Signals | null]> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return [exitCode, signalCode];
    return (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
  }

  #dropPipes(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** False = nobody is left in it. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#child.pid!, signal);
    } catch {
      return false;
    }
  }
}
