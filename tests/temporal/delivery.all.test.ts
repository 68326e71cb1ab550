/** Starts and signals reach the cluster once, also if responses are lost on the way (T1, T2). */
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startAnswerProxy } from "@runledger/test-support/answer-proxy";
import { startCutProxy } from "@runledger/test-support/cut-proxy";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { temporalProject } from "./temporal-project.js";
import { collect, greet, waiting } from "./workflows.mjs";

/**
 * The worker's longest pauses are the retries of a grant (5 s), the check of an execution (2 s here) and the reconnection
 * of a channel (5 s). An outage that exceeds all of them has the same effects as one of a minute or an hour.
 */
const OUTAGE_MS = 15_000;

describeWith("delivery to a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  const executionsOf = (runId: string) => server.executions(`WorkflowId = "${runId}"`);

  test("ten clients that send the same start create one run and one execution", { tags: ["T-13"] }, async () => {
    const { address } = server;
    const { url, ledger, worker } = await temporalProject("ten-clients", { address });
    await worker();
    const clients = await Promise.all(Array.from({ length: 10 }, () => connect(url)));
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
    const runs = await Promise.all(clients.map((client) => client.start(greet, { requestId: "same" })));
    const [id, ...others] = new Set(runs.map((run) => run.id));
    expect(others).toEqual([]);
    expect(runs.filter((run) => run.admission !== undefined)).toHaveLength(1); // only a new run has one
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(runs.map(() => "hello"));
    expect((await ledger.list().page()).runs.map((run) => run.runId)).toEqual([id]);
    await until(async () => (await executionsOf(id!)).some(({ status }) => status === "COMPLETED"));
    expect(await executionsOf(id!)).toHaveLength(1);
  });

  test("a start whose response was lost is found again", { tags: ["T-13"] }, async () => {
    const cluster = await startAnswerProxy(server.address);
    const project = await temporalProject("lost-answers", { address: cluster.address });
    const store = await startCutProxy(project.url);
    const client = await connect(store.url);
    onTestFinished(async () => {
      await client.close();
      await Promise.all([cluster.close(), store.close()]);
    });
    const lost = store.arm({ when: "after", text: "request-1" });
    const run = await client.start(greet, { requestId: "request-1" });
    expect(lost.happened()).toBe(true);
    expect((await client.start(greet, { requestId: "request-1" })).id).toBe(run.id);

    cluster.loseAnswerTo(run.id);
    await project.worker();
    await until(() => cluster.isLosing);
    await until(async () => (await executionsOf(run.id)).length > 0);
    cluster.cut();
    expect(await run.result()).toBe("hello");
    expect(await project.count(run.id, "StepStarted")).toBe(1);
    expect(await project.count(run.id, "RunTakenOver")).toBe(0);
    expect(await executionsOf(run.id)).toHaveLength(1);
  });

  test(
    "signals that are sent during an outage are applied once and in order, across continue-as-new",
    { tags: ["T-14"] },
    async () => {
      const { address } = server;
      const { ledger, count, worker } = await temporalProject("signals", { address, continueAfterSteps: 2 });
      await worker();
      const run = await ledger.start(collect);
      const send = (at: number) => {
        const once = () => ledger.signal(run.id, "next", at, { signalId: `signal-${at}` });
        return Promise.all([once(), once()]);
      };
      await until(async () => (await count(run.id, "StepStarted")) === 2); // the first wait
      await server.kill();
      for (const at of [0, 1, 2, 3, 4]) await send(at);
      expect(await count(run.id, "SignalAccepted")).toBe(5);
      await sleep(OUTAGE_MS);
      expect(await count(run.id, "StepCompleted")).toBe(1); // recorded first, then applied
      await server.start();
      for (const at of [5, 6, 7, 8, 9]) await send(at);
      expect(await run.result()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await count(run.id, "SignalAccepted")).toBe(10);
      expect(await count(run.id, "StepCompleted")).toBe(21);
      expect(await count(run.id, "RunTakenOver")).toBe(0);
      const continued = (await executionsOf(run.id)).filter(({ status }) => status === "CONTINUED_AS_NEW");
      expect(continued.length).toBeGreaterThan(3);
    },
  );

  test("the limits of 64 KB and of 60 signals per minute hold", { tags: ["T-14"] }, async () => {
    const { address } = server;
    const { ledger, count, worker } = await temporalProject("limits", { address });
    await worker();
    const run = await ledger.start(waiting);
    await until(async () => (await count(run.id, "StepStarted")) === 1);
    const large = { text: "SECRET".repeat(11_000) };
    await expect(ledger.signal(run.id, "go", large)).rejects.toThrow(/65,?536|64 KB/i);
    for (let at = 0; at < 60; at++) await ledger.signal(run.id, "go", at);
    await expect(ledger.signal(run.id, "go", 60)).rejects.toMatchObject({ code: "SIGNAL_LIMIT" });
    await until(async () => (await count(run.id, "StepStarted")) === 2);
    expect(await count(run.id, "SignalAccepted")).toBe(60);
    expect(await count(run.id, "StepCompleted")).toBe(1);
    expect((await server.payloads(run.id)).join("\n")).not.toContain("SECRET");
  });
});
