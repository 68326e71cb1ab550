import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { redactText } from "../../telemetry/process-redactors.js";
import { FatalStepError } from "../../workflow/step-errors.js";
import type { Guardian } from "./guardian.js";

/** How long the pipes of an exited command may stay open: a process that left its group may still hold them. */
const DRAIN_MS = 1000;
/** Poll interval while waiting for the group to exit. */
const LOOK_MS = 20;

export interface GroupOptions {
  /** Command prefix that execs the program. */
  readonly guards: readonly string[];
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The result of a command. */
export interface Exit {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a program in its own process group, so that its children stop with it. Uses no shell. */
export class ProcessGroup {
  readonly #guardian: Guardian;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  /** When to send SIGKILL, set by `stop`. */
  #killAt = 0;

  static async start(options: GroupOptions, guardian: Guardian): Promise<ProcessGroup> {
    const { guards, program, cwd, env } = options;
    options.args.forEach(refuseSecret);
    const [first = program, ...args] = [...guards, program, ...options.args];
    guardian.stand(); // start it early: it needs a moment
    const child = spawn(first, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) guardian.watch(child.pid);
    await once(child, "spawn"); // throws if the program could not start
    return new ProcessGroup(child, guardian);
  }

  private constructor(child: ChildProcessByStdio<null, Readable, Readable>, guardian: Guardian) {
    this.#child = child;
    this.#guardian = guardian;
  }

  get outputs(): { readonly stdout: Readable; readonly stderr: Readable } {
    return { stdout: this.#child.stdout, stderr: this.#child.stderr };
  }

  /** Sends a signal to the group, and SIGKILL after `graceMs`. */
  stop(graceMs: number, signal: "SIGTERM" | "SIGINT" = "SIGTERM"): void {
    this.#killAt = Date.now() + graceMs;
    this.#signal(signal);
    const timer = setTimeout(() => this.#signal("SIGKILL"), graceMs);
    this.#child.once("exit", () => clearTimeout(timer));
  }

  /** Resolves when the whole group is gone. Stops processes that the program left running. */
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

  /** Returns `false` if the group has no process left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#child.pid!, signal);
    } catch {
      return false;
    }
  }
}

/** The system shows the arguments of a program to all users (S1). */
function refuseSecret(argument: string, index: number): void {
  const clean = redactText(argument);
  if (clean === argument) return;
  const remedy = "The system shows arguments to all users. Pass the secret in an environment variable.";
  throw new FatalStepError("COMMAND_INVALID", `Argument ${index + 1} contains a secret: ${clean}. ${remedy}`);
}
