// @module-tag T-18
/** The ledger admits runs to the cluster: limits, priorities and schedules are those of the embedded engine. */
import type { JsonObject } from "@runledger/contracts";
import { temporalEngine } from "@runledger/engine-temporal";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type Ledger, type RunHandle } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

/** Each run works until the test releases it by its id. */
const working: string[] = [];
const finished = new Set<string>();
let isOver = false;
const held = workflow("held", { version: "1" }, (w) =>
  w.step("work", async ({ runId }) => {
    working.push(runId);
    await until(() => finished.has(runId) || isOver);
    return runId;
  }),
);
const ticking = workflow("ticking", { version: "1" }, (w) => w.step("tick", () => "tock"));

describeWith("admission to a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  });
  afterAll(() => server?.stop());

  async function ledgerWithWorker(taskQueue: string): Promise<Ledger> {
    const database = await freshDatabase();
    const ledger = await connect(database.url);
    isOver = false;
    onTestFinished(async () => {
      isOver = true; // a failed test releases its runs
      await ledger.close();
      await database.drop();
    });
    const engine = temporalEngine({ address: server.address, taskQueue });
    await ledger.worker({ workflows: [held, ticking], pollMs: 20, engine });
    return ledger;
  }

  const hasExecution = async (runId: string) => (await server.executions(`WorkflowId = "${runId}"`)).length > 0;
  const works = (run: RunHandle<string, never>) => until(() => working.includes(run.id));
  async function finish(run: RunHandle<string, never>): Promise<void> {
    finished.add(run.id);
    await run.result();
  }

  test("a run waits for a slot without an execution, and the one with the highest priority starts first", async () => {
    const ledger = await ledgerWithWorker("limits");
    await ledger.limits.set({ scope: "tenant", subject: "default", maxRunning: 1 });
    const first = await ledger.start(held);
    await works(first);
    const low = await ledger.start(held);
    const high = await ledger.start(held, { priority: 5 });
    expect(await ledger.queue.why(low.id)).toMatchObject({
      reasons: [
        { kind: "limit", holders: [first.id] },
        { kind: "turn", ahead: 1 },
      ],
    });
    expect([await hasExecution(first.id), await hasExecution(low.id), await hasExecution(high.id)]).toEqual([
      true,
      false,
      false,
    ]);
    await finish(first);
    await works(high);
    expect(working).not.toContain(low.id);
    await finish(high);
    await works(low);
    await finish(low);
  });

  test("runs with the same concurrency key run one at a time, and others beside them", async () => {
    const ledger = await ledgerWithWorker("keys");
    const first = await ledger.start(held, { concurrencyKey: "table" });
    await works(first);
    const second = await ledger.start(held, { concurrencyKey: "table" });
    const other = await ledger.start(held, { concurrencyKey: "view" });
    await works(other);
    expect(working).not.toContain(second.id);
    expect(await hasExecution(second.id)).toBe(false);
    await finish(first);
    await works(second);
    await Promise.all([finish(second), finish(other)]);
  });

  test("a schedule starts one run per tick on the cluster", async () => {
    const ledger = await ledgerWithWorker("schedules");
    await ledger.schedules.put({ workflow: ticking, id: "every-second", every: "1s" });
    ledger.scheduler();
    const completed = async () => (await ledger.list({ status: "COMPLETED" }).page()).runs.map(({ runId }) => runId);
    await until(async () => (await completed()).length >= 3);
    await ledger.schedules.pause("every-second");
    const runs = await completed();
    for (const runId of runs) expect(await hasExecution(runId)).toBe(true);
    const ticks = await Promise.all(runs.map(async (runId) => (await ledger.store.fetchEvents(runId))[0]!.eventData));
    expect(new Set(ticks.map((data) => JSON.stringify((data as JsonObject)["schedule"]))).size).toBe(runs.length);
  });
});
