import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { inspectProcess, processExists } from "./process-info.js";
import { runProgram } from "./run-program.js";
import { until } from "@runledger/test-support/until";

afterEach(() => void vi.restoreAllMocks());

const elsewhere = (): void => void vi.spyOn(process, "platform", "get").mockReturnValue("darwin");

test("/proc and ps describe a process alike", async (context) => {
  if ((await runProgram({ command: "ps", args: ["-p", "1"], user: null })).spawnFailure !== null)
    return context.skip("ps is not installed");
  const child = spawn("sleep", ["600"]);
  await once(child, "spawn");
  const fromProc = await inspectProcess(child.pid!);
  expect(fromProc).toEqual({ parentPid: process.pid, command: "sleep 600" });
  elsewhere();
  expect(await inspectProcess(child.pid!)).toEqual(fromProc);

  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await inspectProcess(child.pid!)).toBeNull();
});

test("a zombie exists for the kernel, but is not reported as a process", async () => {
  const parent = spawn(process.execPath, ["-e", suspendedParent], { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(output.toString());
  await until(async () => (await inspectProcess(zombie)) === null);
  expect(processExists(zombie)).toBe(true);
  parent.kill("SIGKILL");
});

/** Prints the pid of its child, and never collects the exited child. */
const suspendedParent = `
  const child = require("node:child_process").spawn("true");
  require("node:fs").writeSync(1, String(child.pid));
  process.kill(process.pid, "SIGSTOP");`;
