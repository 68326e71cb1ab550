// @module-tag T-18
/** A ledger on a store without a queue, with an engine that only remembers which runs it should execute. */
import { RetryError } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { embeddedEngine, newEngine, type Executions } from "../engine/engine.js";
import { workflow } from "../workflow/workflow.js";
import { connectDirectly } from "./direct-ledger.js";
import type { Ledger } from "./ledger.js";

const flowOf = (version: string) => workflow("direct", { version }, (w) => w.waitForSignal("go"));
const flow = flowOf("1");

class Remembered implements Executions {
  readonly started: string[] = [];
  readonly woken: string[] = [];
  isDown = false;

  async start(runId: string): Promise<void> {
    this.#assertUp();
    this.started.push(runId);
  }

  async wake(runId: string): Promise<void> {
    this.#assertUp();
    this.woken.push(runId);
  }

  async close(): Promise<void> {}

  #assertUp(): void {
    if (this.isDown) throw new RetryError("ENGINE_UNAVAILABLE", "The cluster is down.");
  }
}

async function opened(): Promise<{ readonly ledger: Ledger; readonly executions: Remembered }> {
  const executions = new Remembered();
  const startWorker = () => Promise.reject(new Error("This engine has no workers."));
  const direct = { connect: async () => executions, startWorker };
  const engine = newEngine("remembered", { workerId: null, startWorker, direct });
  const ledger = await connectDirectly(async () => new MemoryStore(), { engine });
  onTestFinished(() => ledger.close());
  return { ledger, executions };
}

describe("a start on a store without a queue", () => {
  test("is recorded, admitted and executed immediately", async () => {
    const { ledger, executions } = await opened();
    const run = await ledger.start(flow);
    expect(run.admission).toEqual({ answer: "ACCEPT" });
    expect(executions.started).toEqual([run.id]);
    expect((await ledger.store.fetchEvents(run.id)).map(({ eventType }) => eventType)).toEqual(["RunQueued"]);
  });

  test("returns the same run for the same request, and refuses another input", async () => {
    const { ledger, executions } = await opened();
    const request = { requestId: "once" };
    const [one, two] = await Promise.all([ledger.start(flow, request), ledger.start(flow, request)]);
    expect(two.id).toBe(one.id);
    expect(new Set(executions.started)).toEqual(new Set([one.id]));
    expect((await ledger.store.fetchEvents(one.id)).length).toBe(1);
    const typed = workflow("typed", { version: "1", input: z.object({ n: z.number() }) }, (w) =>
      w.step("one", () => 1),
    );
    const start = (n: number) => ledger.start(typed, { requestId: "typed", input: { n } });
    await start(1);
    await expect(start(2)).rejects.toMatchObject({ code: "REQUEST_CHANGED" });
  });

  test("keeps tenants and, unless they are deduplicated, versions apart", async () => {
    const { ledger } = await opened();
    const started = async (version: string, options: { tenantId?: string; dedupe?: "workflow" }) =>
      (await ledger.start(flowOf(version), { requestId: "r", ...options })).id;
    const ids = [await started("1", {}), await started("2", {}), await started("1", { tenantId: "acme" })];
    expect(new Set(ids).size).toBe(3);
    expect(await started("2", { dedupe: "workflow" })).toBe(await started("1", { dedupe: "workflow" }));
    const [head] = await ledger.store.forTenant("acme").fetchHeads(ids);
    expect(head).toMatchObject({ runId: ids[2], tenantId: "acme" });
  });

  test("that did not reach the cluster is continued by the same request", async () => {
    const { ledger, executions } = await opened();
    executions.isDown = true;
    await expect(ledger.start(flow, { requestId: "lost" })).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
    executions.isDown = false;
    const run = await ledger.start(flow, { requestId: "lost" });
    expect(executions.started).toEqual([run.id]);
    expect((await ledger.store.fetchEvents(run.id)).length).toBe(1);
  });

  test("honors the run id of the caller", async () => {
    const { ledger, executions } = await opened();
    expect((await ledger.start(flow, { runId: "run_own" })).id).toBe("run_own");
    expect(executions.started).toEqual(["run_own"]);
  });
});

test("signals and actions wake the execution, and are recorded even if the cluster is down", async () => {
  const { ledger, executions } = await opened();
  const run = await ledger.start(flow);
  await ledger.signal(run.id, "go", 1);
  executions.isDown = true;
  await ledger.signal(run.id, "go", 2);
  expect(executions.woken).toEqual([run.id]);
  executions.isDown = false;
  await run.cancel();
  expect(executions.woken).toEqual([run.id, run.id]);
  const accepted = (await ledger.store.fetchEvents(run.id)).filter(({ eventType }) => eventType === "SignalAccepted");
  expect(accepted).toHaveLength(3);
});

test("a worker of an engine that needs a queue is refused", async () => {
  const { ledger } = await opened();
  const refused = ledger.worker({ workflows: [flow], engine: embeddedEngine });
  await expect(refused).rejects.toMatchObject({ code: "STORE_UNSUITABLE" });
});
