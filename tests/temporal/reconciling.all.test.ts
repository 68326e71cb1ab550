// @module-tag T-17
/** A worker restores what the cluster or the ledger has lost (T2). */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { startRunledger } from "@runledger/test-support/runledger-command";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { temporalProject, type TemporalProject } from "./temporal-project.js";
import { slow, waiting } from "./workflows.mjs";

/** Longer than the lease (10 s), every pause of a worker, and the time limits of the store's calls. */
const OUTAGE_MS = 20_000;

describeWith("reconciling with a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  const started = async ({ ledger, count }: TemporalProject) => {
    const run = await ledger.start(slow);
    await until(async () => (await count(run.id, "StepStarted")) === 1);
    return run;
  };

  test("executions that an operator cancelled or the cluster lost are restarted from the ledger", async () => {
    const project = await temporalProject("lost", { address: server.address });
    await project.worker();
    const [cancelled, deleted] = await Promise.all([started(project), started(project)]);
    await Promise.all([server.cancel(cancelled.id), server.delete(deleted.id)]);
    for (const run of [cancelled, deleted]) {
      expect(await run.result()).toBe(2);
      expect(await project.count(run.id, "StepCompleted")).toBe(2);
    }
    expect(await project.count(deleted.id, "RunTakenOver")).toBe(1);
  });

  test("an execution that reached its time limit is replaced", async () => {
    const { ledger, worker, count } = await temporalProject("timed-out", { address: server.address });
    const runId = "run_00000000000000000000000000000001";
    const settings = { continueAfterSteps: 50, continueAfterBytes: 1e6, heartbeatTimeoutMs: 2000, maxActivities: 10 };
    await worker();
    await server.startLimited(runId, "runledgerRun", "timed-out", { runId, settings }, 2); // its first step takes as long
    const run = await ledger.start(slow, { runId });
    expect(await run.result()).toBe(2);
    const statuses = (await server.executions(`WorkflowId = "${run.id}"`)).map(({ status }) => status);
    expect(statuses).toEqual(["COMPLETED", "TIMED_OUT"]);
    expect(await count(run.id, "StepCompleted")).toBe(2);
  });

  test("a run that waits continues in a new execution if its own is gone", async () => {
    const { ledger, count, worker } = await temporalProject("waits", { address: server.address });
    await worker();
    const run = await ledger.start(waiting);
    await until(async () => (await count(run.id, "StepStarted")) === 1);
    await server.terminate(run.id);
    await ledger.signal(run.id, "go", 1);
    await ledger.signal(run.id, "stop", 2);
    expect(await run.result()).toBe(1);
    expect(await count(run.id, "RunTakenOver")).toBe(0);
  });

  test("a ledger that did not respond for a while catches up", async () => {
    const project = await temporalProject("ledger-gone", { address: server.address });
    const proxy = await startSilentProxy(project.url);
    onTestFinished(() => proxy.close());
    await project.worker({ RUNLEDGER_STORE: proxy.url });
    const run = await started(project);
    proxy.silence("all");
    const other = await project.ledger.start(waiting); // the ledger itself is there, but no worker reaches it
    await sleep(OUTAGE_MS);
    proxy.resume();
    expect(await run.result()).toBe(2);
    expect(await project.count(run.id, "StepCompleted")).toBe(2);
    await project.ledger.signal(other.id, "go", 1);
    await project.ledger.signal(other.id, "stop", 2);
    expect(await other.result()).toBe(1);
  });

  test("a worker that starts before its cluster waits for it", async () => {
    const project = await temporalProject("early", { address: server.address });
    await server.kill();
    const worker = startRunledger(project, "worker");
    await worker.says("waits for the Temporal server");
    const run = await project.ledger.start(slow);
    await server.start();
    expect(await run.result()).toBe(2);
  });
});
