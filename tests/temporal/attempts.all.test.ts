// @module-tag T-11
/** Attempts of a step and attempts of Temporal's activity are counted separately (T1). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { describeWith } from "@runledger/test-support/requirements";
import { Running } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { FaultProject } from "./fault-project.js";

const SOURCE = `import { appendFileSync } from "node:fs";
import { workflow } from "runledger";
export const failing = workflow("failing", { version: "1" }, (w) =>
  w.step("flaky", { retry: { attempts: 3, delay: "10ms" } }, ({ attempt }) => {
    if (attempt < 3) throw new Error("not yet");
    return attempt;
  }));
export const paying = workflow("paying", { version: "1" }, (w) => {
  const pay = w.step("pay", () => appendFileSync("paid", "once\\n"));
  return w.step("ship", { after: [pay] }, () => "shipped");
});
`;

/** A worker that is killed after the store has the result of \`pay\`, before the activity reports it to Temporal. */
const KILLED_WORKER = `import { connect } from "runledger";
import { paying } from "./flow.mjs";
const [engineModule, options] = process.argv.slice(2);
const { temporalEngine } = await import(engineModule);
const ledger = await connect(process.env.RUNLEDGER_STORE);
const append = ledger.store.appendEvents.bind(ledger.store);
ledger.store.appendEvents = async (events, options) => {
  const results = await append(events, options);
  if (events.some(({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "pay"))
    process.kill(process.pid, "SIGKILL");
  return results;
};
await ledger.worker({ workflows: [paying], engine: temporalEngine(JSON.parse(options)) });
console.log("working");
`;

describeWith("on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  const open = (taskQueue: string): Promise<FaultProject> =>
    FaultProject.open({ address: server.address, taskQueue, source: SOURCE, files: { "killed.mjs": KILLED_WORKER } });

  test("a step's failure is an outcome: each of its attempts is a new activity, which Temporal runs once", async () => {
    const project = await open("failing");
    await project.worker();
    const runId = await project.start("failing");
    const events = await project.has(runId, "RunCompleted");
    const attempts = events.filter(({ stepId }) => stepId === "flaky");
    expect(attempts.map((event) => [event.eventType, event.logicalAttemptId, event.engineAttemptId])).toEqual([
      ["StepStarted", "1", "1"],
      ["StepFailed", "1", "1"],
      ["StepStarted", "2", "1"],
      ["StepFailed", "2", "1"],
      ["StepStarted", "3", "1"],
      ["StepCompleted", "3", "1"],
    ]);
    expect(await server.activityAttempts(runId)).toEqual([1, 1, 1]);
  });

  test("a worker that is killed after the append, before its activity answers, does not repeat the step", async () => {
    const project = await open("killed");
    const options = { address: server.address, taskQueue: "killed", heartbeatTimeoutMs: 2000 };
    const engine = inRepository("packages/engine-temporal/dist/index.js");
    const killed = new Running(project.where, ["killed.mjs", engine, JSON.stringify(options)]);
    await killed.says("working");
    const runId = await project.start("paying");
    expect((await killed.ended).signal).toBe("SIGKILL");
    await project.worker();
    const events = await project.has(runId, "RunCompleted");
    expect(project.lines("paid")).toEqual(["once"]);
    const pay = events.filter(({ stepId }) => stepId === "pay");
    expect(pay.map(({ eventType, engineAttemptId }) => [eventType, engineAttemptId])).toEqual([
      ["StepStarted", "1"],
      ["StepCompleted", "1"],
    ]);
    expect(events.filter(({ eventType }) => eventType === "RunTakenOver")).toEqual([]);
    expect(await server.activityAttempts(runId)).toEqual([2, 1]);
  });
});
