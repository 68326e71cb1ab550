/** Runs the command `runledger` and other programs as users do: as processes, from the build. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";

export const bin = inRepository("packages/runledger/bin/runledger.js");

export interface Where {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

/** Runs a command to its end. */
export function runledger({ cwd, env = {} }: Where, ...args: readonly string[]) {
  return capture(process.execPath, [bin, ...args], { cwd, env, timeoutMs: 240_000 });
}

/** Sets up a terminal with colors. Node turns colors off for each of these variables, also for `CI`. */
const WITH_COLORS =
  "unset CI TF_BUILD TEAMCITY_VERSION NO_COLOR NODE_DISABLE_COLORS FORCE_COLOR TMUX; export TERM=xterm;";

/** Runs a shell command on its own terminal. Needs the tool `script`. */
export function onTerminal(where: Where, command: string): Running {
  return new Running(where, ["-qec", `${WITH_COLORS} ${command}`, "/dev/null"], "script");
}

/** A running process with its output so far and its exit. It never outlives its test. */
export class Running {
  output = "";
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  #heard: () => void = () => {};

  constructor(where: Where, args: readonly string[], program = process.execPath) {
    const env = { ...process.env, ...where.env };
    const child = spawn(program, args, { cwd: where.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    this.pid = child.pid!;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#heard();
      });
    this.ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
    void this.ended.then(() => this.#heard());
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await this.ended;
    });
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Waits until it has printed this. Fails with its whole output if it exits before. */
  async says(text: string | RegExp): Promise<string> {
    let hasEnded = false;
    void this.ended.then(() => (hasEnded = true));
    for (;;) {
      const found = typeof text === "string" ? (this.output.includes(text) ? text : null) : text.exec(this.output)?.[0];
      if (found !== null && found !== undefined) return found;
      if (hasEnded) throw new Error(`it ended without saying ${String(text)}:\n${this.output}`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }
}

export function startRunledger(where: Where, ...args: readonly string[]): Running {
  return new Running(where, [bin, ...args]);
}

export function startProgram(where: Where, file: string, ...args: readonly string[]): Running {
  return new Running(where, [inRepository(file), ...args]);
}

/** `npm start`, without npm around it: signals reach the process itself. */
export const startNpmStart = (...args: readonly string[]): Running => startNpmStartWith({}, ...args);

export function startNpmStartWith(env: Where["env"], ...args: readonly string[]): Running {
  const { scripts } = readJson(inRepository("package.json")) as { readonly scripts: { readonly start: string } };
  const [node, program, ...more] = scripts.start.split(" ");
  if (node !== "node") throw new Error(`npm start does not run a Node program: ${scripts.start}`);
  return new Running({ cwd: inRepository("."), ...(env !== undefined && { env }) }, [
    inRepository(program!),
    ...more,
    ...args,
  ]);
}

/** A folder that a database's own user may enter, gone with the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "runledger-journey-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** A user's project that has Runledger installed. */
export function freshProject(files: Readonly<Record<string, string>>): string {
  const folder = freshFolder();
  writeFiles(folder, { "package.json": `{ "type": "module" }`, ...files });
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["runledger", "zod"])
    symlinkSync(inRepository(`node_modules/${name}`), join(folder, "node_modules", name));
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
