// @module-tag U-40
/** Follows docs/tutorial.md: writes its files, runs its commands, and compares their output. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { words } from "@runledger/test-support/shell-words";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, startRunledger, writeFiles, type Running } from "@runledger/test-support/runledger-command";
import { missingFrom, readTutorial, type CommandBlock } from "@runledger/test-support/tutorial";

interface Terminal {
  cwd: string;
  /** The running `npm run dev`, if any. */
  dev: Running | null;
  /** The run that the reader started last. */
  runId: string;
}

type Answer = string | Promise<string>;

/** By prefix. */
const COMMANDS: Readonly<Record<string, (terminal: Terminal, line: string) => Answer>> = {
  "npx runledger ": async (terminal, line) => {
    const { stdout, stderr } = await runledger(terminal, ...words(line).slice(2));
    if (line.includes("runledger run ")) terminal.runId = /^run_\w+/.exec(stdout)?.[0] ?? "";
    return stdout + stderr;
  },
  "cd ": (terminal, line) => {
    terminal.cwd = join(terminal.cwd, line.slice(3));
    return "";
  },
  "npm install": ({ cwd }) => install(cwd),
  "npm run dev": async (terminal) => {
    expect(scripts(terminal.cwd)["dev"]).toBe("runledger dev");
    terminal.dev = startRunledger(terminal, "dev", "--port", "0");
    await terminal.dev.says("Stop ");
    return terminal.dev.output;
  },
  "npm test": async ({ cwd }) => {
    const { stdout, stderr } = await capture("npm", ["test"], { cwd, timeoutMs: 240_000 });
    return stdout + stderr;
  },
  "kill -9 ": async ({ dev }) => {
    process.kill(Number(/kill -9 (\d+)/.exec(dev!.output)![1]), "SIGKILL");
    await dev!.ended;
    return "";
  },
  "touch ": ({ cwd }, line) => {
    writeFileSync(join(cwd, line.slice("touch ".length)), "");
    return "";
  },
  "rm ": ({ cwd }, line) => {
    rmSync(join(cwd, line.slice("rm ".length)));
    return "";
  },
};

const scripts = (folder: string): Record<string, string> =>
  (readJson(join(folder, "package.json")) as { scripts: Record<string, string> }).scripts;

/** Links the dependencies, because the packages under test are not on a registry. */
function install(cwd: string): string {
  const { dependencies, devDependencies } = readJson(join(cwd, "package.json")) as Record<string, object>;
  for (const folder of ["@types", "@runledger", ".bin"])
    mkdirSync(join(cwd, "node_modules", folder), { recursive: true });
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    symlinkSync(inRepository(`node_modules/${name}`), join(cwd, "node_modules", name));
  symlinkSync(inRepository("node_modules/.bin/tsc"), join(cwd, "node_modules/.bin/tsc"));
  return "";
}

async function type(terminal: Terminal, { line, says }: CommandBlock): Promise<void> {
  const command = Object.entries(COMMANDS).find(([prefix]) => line.startsWith(prefix));
  expect(command, `the test does not support ${line}`).toBeDefined();
  const enter = (): Answer => command![1](terminal, line.replaceAll("RUN", terminal.runId));
  let output = await enter();
  // The worker may be slower than the reader, who then repeats the command.
  if (line.startsWith("npx runledger events "))
    await expect.poll(async () => missingFrom((output = await enter()), says)).toBeNull();
  expect(missingFrom(output, says), `${line} printed:\n${output}`).toBeNull();
}

test("every command of the tutorial prints the documented output", { timeout: 900_000 }, async () => {
  const terminal: Terminal = { cwd: freshFolder(), dev: null, runId: "" };
  const steps = readTutorial(readFileSync(inRepository("docs/tutorial.md"), "utf8"));
  expect(steps.filter(({ kind }) => kind === "command").length).toBeGreaterThan(15);
  for (const step of steps) {
    if (step.kind === "file") writeFiles(terminal.cwd, { [step.path]: step.text });
    else await type(terminal, step);
  }
  terminal.dev?.kill("SIGTERM");
  expect(await terminal.dev?.ended).toMatchObject({ code: 0 });
});
