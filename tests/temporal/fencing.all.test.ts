// @module-tag T-11
// @module-tag T-12
/** A worker that missed its heartbeats cannot write, and the run's other workers continue (T3). */
import type { JsonObject } from "@runledger/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { FaultProject } from "./fault-project.js";

/** Each execution of a step waits for a file with its process id. */
const SOURCE = `import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
const here = String(process.pid);
async function held(step) {
  appendFileSync(step, here + "\\n");
  while (!existsSync("go-" + here)) await sleep(5);
  appendFileSync("finished", here + "\\n");
  return here;
}
export const flow = workflow("flow", { version: "1" }, (w) => {
  w.step("one", () => held("one"));
  w.step("two", () => held("two"));
});
`;

describeWith("on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  test("a suspended worker's result is dropped once another worker has taken over the step", async () => {
    const at = { address: server.address, taskQueue: "fencing" };
    const project = await FaultProject.open({ ...at, source: SOURCE, config: { worker: { concurrency: 1 } } });
    const workers = [await project.worker(), await project.worker()];
    const runId = await project.start("flow");
    const [one] = await project.written("one", 1);
    const [two] = await project.written("two", 1);
    expect(one).not.toBe(two);
    const suspended = workers.find(({ pid }) => String(pid) === one)!;
    suspended.kill("SIGSTOP");
    await project.worker();
    const successor = (await project.written("one", 2))[1]!;
    await project.has(runId, "RunTakenOver");
    project.write(`go-${one}`);
    suspended.kill("SIGCONT");
    await suspended.says(/has taken over step one|hands this activity over/);
    project.write(`go-${two}`); // its epoch and its step are still its own
    const before = await project.has(runId, "StepCompleted", "two");
    expect(before.filter(({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "one")).toEqual([]);
    project.write(`go-${successor}`);
    const events = await project.has(runId, "RunCompleted");
    const ends = events.filter(({ eventType }) => eventType === "StepCompleted");
    const ended = ends.map(({ stepId, engineAttemptId, eventData }) => [
      stepId,
      engineAttemptId,
      (eventData as JsonObject)["output"],
    ]);
    expect(ended).toEqual([
      ["two", "1", two],
      ["one", "2", successor],
    ]);
    const takeOvers = events.filter(({ eventType }) => eventType === "RunTakenOver");
    expect(takeOvers.map(({ eventData }) => (eventData as JsonObject)["stepsInFlight"])).toEqual([["one"]]);
  });
});
