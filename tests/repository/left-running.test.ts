import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { leftRunning } from "../../scripts/lib/left-running.mjs";

test("[L-01] a process that outlives the tests is found, even one that ran away", async (context) => {
  context.skip(process.platform !== "linux", "only Linux shows the environment of a process");
  const mark = `RUNLEDGER_TEST_LEFT=${process.pid}`;
  const [name = "", value = ""] = mark.split("=");
  const child = spawn("sleep", ["60"], { env: { ...process.env, [name]: value }, detached: true, stdio: "ignore" });
  await once(child, "spawn");
  expect(await leftRunning(mark, 0)).toEqual([`${child.pid} sleep 60`]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await leftRunning(mark, 0)).toEqual([]);
});
