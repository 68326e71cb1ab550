// @module-tag L-01
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { leftRunning } from "../../scripts/lib/left-running.mjs";

const folder = `/nowhere/${process.pid}`;

test.each([
  ["by its environment", [process.execPath, "-e", "setTimeout(() => {}, 60000)"], { TMPDIR: folder }],
  ["by its command line", [process.execPath, "-e", "setTimeout(() => {}, 60000)", `${folder}/data`], {}],
])("a process that outlives the tests is found %s, even one that ran away", async (_how, command, env) => {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, detached: true, stdio: "ignore" });
  await once(child, "spawn");
  expect(await leftRunning(folder, 0)).toEqual(
    process.platform === "linux" ? [`${child.pid} ${command.join(" ")}`] : [],
  );
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await leftRunning(folder, 0)).toEqual([]);
});
