/** Follows the first part of docs/guides/temporal.md: writes its file, runs its commands, and compares their output. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { describeWith } from "@runledger/test-support/requirements";
import {
  freshFolder,
  runledger,
  startRunledger,
  writeFiles,
  type Running,
} from "@runledger/test-support/runledger-command";
import { words } from "@runledger/test-support/shell-words";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { missingFrom, readTutorial, type CommandBlock } from "@runledger/test-support/tutorial";

const DOCUMENTED_ADDRESS = "127.0.0.1:7233";

interface Terminal {
  cwd: string;
  worker: Running | null;
  /** The run that the reader started last. */
  runId: string;
}

describeWith("the guide from embedded to Temporal", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  type Answer = string | Promise<string>;

  /** By prefix. The first one that fits is used. */
  const commands: Readonly<Record<string, (terminal: Terminal, line: string) => Answer>> = {
    "npx runledger worker": async (terminal) => {
      await stop(terminal);
      terminal.worker = startRunledger(terminal, "worker");
      await terminal.worker.says(/Engine {4}temporal|Stop /);
      return terminal.worker.output;
    },
    "npx runledger ": async (terminal, line) => {
      const { stdout, stderr } = await runledger(terminal, ...words(line).slice(2));
      if (line.includes("runledger run ")) terminal.runId = /^run_\w+/.exec(stdout)?.[0] ?? "";
      return stdout + stderr;
    },
    "cd ": (terminal, line) => {
      terminal.cwd = join(terminal.cwd, line.slice(3));
      return "";
    },
    "npm install": ({ cwd }) => {
      mkdirSync(cwd, { recursive: true });
      try {
        symlinkSync(inRepository("node_modules"), join(cwd, "node_modules")); // the packages under test are not on a registry
      } catch {
        // the second command finds everything installed
      }
      return "";
    },
    "temporal server ": () => "",
    "temporal workflow describe ": (_, line) => server.describe(words(line).at(-1)!),
    "kill -9 ": async (terminal) => {
      terminal.worker!.kill("SIGKILL");
      await terminal.worker!.ended;
      terminal.worker = null;
      return "";
    },
  };

  /** The reader presses Ctrl-C. */
  async function stop({ worker }: Terminal): Promise<void> {
    if (worker === null) return;
    worker.kill("SIGINT");
    await worker.ended;
  }

  async function type(terminal: Terminal, { line, says }: CommandBlock): Promise<void> {
    const command = Object.entries(commands).find(([prefix]) => line.startsWith(prefix));
    expect(command, `the test does not support ${line}`).toBeDefined();
    const output = await command![1](terminal, line.replaceAll("RUN", terminal.runId));
    expect(missingFrom(output, says), `${line} printed:\n${output}`).toBeNull();
  }

  test("every command of the guide prints the documented output", { timeout: 900_000 }, async () => {
    const terminal: Terminal = { cwd: freshFolder(), worker: null, runId: "" };
    const text = readFileSync(inRepository("docs/guides/temporal.md"), "utf8");
    const steps = readTutorial(text.replaceAll(DOCUMENTED_ADDRESS, server.address));
    expect(steps.filter(({ kind }) => kind === "command").length).toBeGreaterThan(15);
    for (const step of steps) {
      if (step.kind === "file") writeFiles(terminal.cwd, { [step.path]: step.text });
      else await type(terminal, step);
    }
    await stop(terminal);
  });
});
