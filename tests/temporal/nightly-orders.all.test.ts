/** The same project, on the embedded engine and on a Temporal cluster (T1, T2). */
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { connect, type CanonicalEngineEvent } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder, runledger, startRunledger, type Where } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { canonical } from "../engine-conformance/canonical.js";

const INPUT = `{"day":"2026-11-14"}`;

async function project(engine?: string): Promise<Where & { readonly url: string }> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshFolder();
  cpSync(inRepository("examples/nightly-orders"), cwd, { recursive: true });
  symlinkSync(inRepository("node_modules"), join(cwd, "node_modules"));
  const env = { RUNLEDGER_STORE: database.url, ...(engine === undefined ? {} : { RUNLEDGER_ENGINE: engine }) };
  return { cwd, env, url: database.url };
}

async function eventsOf(url: string, runId: string): Promise<readonly CanonicalEngineEvent[]> {
  const ledger = await connect(url);
  try {
    return await ledger.store.fetchEvents(runId, {});
  } finally {
    await ledger.close();
  }
}

/** The error of the example names a random order. */
function comparable(events: readonly CanonicalEngineEvent[]): unknown {
  return JSON.parse(JSON.stringify(canonical(events)).replaceAll(/busy \(\w+\)/g, "busy"));
}

/** The log names the execution, and every event of the engine the event that it follows from (N5). */
function expectOrigin(events: readonly CanonicalEngineEvent[]): void {
  const execution = { engine: "temporal", namespace: "default", workflowId: events[0]!.runId };
  const started = events.find(({ eventType }) => eventType === "RunStarted");
  expect(started?.engineRunRef).toMatchObject(execution);
  expect(started?.engineRunRef).toHaveProperty("runId");
  const own = events.filter(({ eventType }) => eventType !== "RunQueued" && !eventType.startsWith("Signal"));
  for (const { runSeq, adapterVersion, parentEventId } of own) {
    expect(adapterVersion).toMatch(/^temporal-v/);
    expect(events.find(({ eventId }) => eventId === parentEventId)?.runSeq).toBeLessThan(runSeq);
  }
}

describeWith("on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  test("a run survives kill -9 of its worker, with the events of the embedded engine", async () => {
    const embedded = await complete(await project(), async () => {});
    const where = await project(`temporal://${server.address}/default?taskQueue=nightly`);
    const onCluster = await complete(where, async (worker) => {
      worker.kill("SIGKILL");
      await worker.ended;
      await startRunledger(where, "worker").says("Engine    temporal");
    });
    expect(comparable(onCluster)).toEqual(comparable(embedded));
    expectOrigin(onCluster);
    const history = (await server.payloads(onCluster[0]!.runId)).join("\n");
    expect(history).toContain("StepCompleted");
    for (const payload of ["2026-11-14", "shipments", "releasedBy", `"by"`]) expect(history).not.toContain(payload);
  });

  /** Runs the project to its end. `halfway` is called when a step has failed once. */
  async function complete(
    where: Where & { readonly url: string },
    halfway: (worker: ReturnType<typeof startRunledger>) => Promise<void>,
  ): Promise<readonly CanonicalEngineEvent[]> {
    const worker = startRunledger(where, "worker");
    await worker.says("Workflow  nightly-orders 1.0.0");
    const { stdout } = await runledger(where, "run", "nightly-orders", "--input", INPUT, "--json");
    const { runId } = JSON.parse(stdout) as { runId: string };
    await runledger(where, "approve", runId);
    await until(async () => (await eventsOf(where.url, runId)).some(({ eventType }) => eventType === "StepFailed"));
    await halfway(worker);
    const isWaiting = ({ eventType, stepId }: CanonicalEngineEvent): boolean =>
      eventType === "StepStarted" && stepId === "release";
    await until(async () => (await eventsOf(where.url, runId)).some(isWaiting));
    await runledger(where, "signal", runId, "release", `{"by":"you"}`);
    await until(async () => (await eventsOf(where.url, runId)).some(({ eventType }) => eventType === "RunCompleted"));
    return eventsOf(where.url, runId);
  }
});
