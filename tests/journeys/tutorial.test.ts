/** Follows docs/tutorial.md: writes its files, types its commands, and expects what it shows. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { words } from "../support/command-line.js";
import { freshFolder, runledger, startRunledger, writeFiles, type Running } from "../support/runledger-command.js";
import { missingFrom, readTutorial, type CommandBlock } from "../support/tutorial.js";

interface Terminal {
  cwd: string;
  /** What `npm run dev` is at the moment. */
  dev: Running | null;
  /** The run that the reader started last. */
  runId: string;
}

type Answer = string | Promise<string>;

/** By how they begin. */
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
    const { stdout, stderr } = await capture("npm", ["test"], { cwd, timeoutMs: 120_000 });
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

/** Our packages are not on a registry while they are tested: what the project asks for is linked. */
function install(cwd: string): string {
  const { dependencies, devDependencies } = readJson(join(cwd, "package.json")) as Record<string, object>;
  mkdirSync(join(cwd, "node_modules", "@types"), { recursive: true });
  mkdirSync(join(cwd, "node_modules", ".bin"));
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    symlinkSync(inRepository(`node_modules/${name}`), join(cwd, "node_modules", name));
  symlinkSync(inRepository("node_modules/.bin/tsc"), join(cwd, "node_modules/.bin/tsc"));
  return "";
}

async function type(terminal: Terminal, { line, says }: CommandBlock): Promise<void> {
  const command = Object.entries(COMMANDS).find(([beginning]) => line.startsWith(beginning));
  expect(command, `the test knows no ${line}`).toBeDefined();
  const output = await command![1](terminal, line.replaceAll("RUN", terminal.runId));
  expect(missingFrom(output, says), `${line} said:\n${output}`).toBeNull();
}

test("[U-40] the tutorial does what it says, from the first command to the last", { timeout: 900_000 }, async () => {
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
