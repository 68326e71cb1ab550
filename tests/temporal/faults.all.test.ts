/** A run on a Temporal cluster that loses its execution, its server or its worker (T1, T2). */
import { connect, type CanonicalEngineEvent } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { freshProject, runledger, startRunledger } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";

const WORKFLOW = `import { workflow } from "runledger";
import { setTimeout as sleep } from "node:timers/promises";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const first = w.step("first", async () => { await sleep(3000); return 1; });
  const list = w.forEach("list", { needs: { first }, items: () => [1, 2, 3, 4] }, (w) =>
    w.step("item", async ({ item }) => { await sleep(500); return item; }));
  return w.step("last", { needs: { list } }, async ({ needs }) => (await needs.list.toArray()).length);
});
`;

describeWith("faults on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  interface Started {
    readonly runId: string;
    readonly events: () => Promise<readonly CanonicalEngineEvent[]>;
  }

  /** Starts a run with a worker, and waits until its first step runs. */
  async function started(taskQueue: string): Promise<Started> {
    const database = await freshDatabase();
    const ledger = await connect(database.url);
    onTestFinished(async () => {
      await ledger.close();
      await database.drop();
    });
    const often = { heartbeatTimeoutMs: 2000, continueAfterSteps: 2 };
    const engine = { kind: "temporal", address: server.address, taskQueue, ...often };
    const config = `export default { workflows: ["./slow.mjs"], engine: ${JSON.stringify(engine)} };`;
    const cwd = freshProject({ "runledger.config.mjs": config, "slow.mjs": WORKFLOW });
    const where = { cwd, env: { RUNLEDGER_STORE: database.url } };
    await startRunledger(where, "worker").says("Engine    temporal");
    const { runId } = JSON.parse((await runledger(where, "run", "slow", "--json")).stdout) as { runId: string };
    const events = () => ledger.store.fetchEvents(runId, {});
    await until(async () => (await events()).some(({ eventType }) => eventType === "StepStarted"));
    return { runId, events };
  }

  /** Waits for the end. Every step must have completed exactly once, and the last execution must continue another one. */
  async function completed({ runId, events }: Started): Promise<readonly CanonicalEngineEvent[]> {
    await until(async () => (await events()).some(({ eventType }) => eventType === "RunCompleted"));
    const all = await events();
    const ends = all.filter(({ eventType }) => eventType === "StepCompleted").map(({ stepId }) => stepId!);
    expect(ends.sort((a, b) => a.localeCompare(b))).toEqual([
      "first",
      "last",
      "list",
      ...[0, 1, 2, 3].map((item) => `list/${item}/item`),
    ]);
    const [input] = await server.payloads(runId);
    expect(JSON.parse(input!)).toMatchObject({ runId, grant: { epoch: expect.any(Number) as number } });
    return all;
  }

  test("a terminated execution is replaced under a new epoch", { tags: ["T-17"] }, async () => {
    const run = await started("terminated");
    await server.terminate(run.runId);
    const takenOver = (await completed(run)).filter(({ eventType }) => eventType === "RunTakenOver");
    expect(takenOver).toHaveLength(1);
    expect(takenOver[0]!.eventData).toMatchObject({ stepsInFlight: ["first"] });
  });

  test("a run continues after kill -9 of the server", async () => {
    const run = await started("restarted");
    await server.kill();
    await server.start();
    const all = await completed(run);
    expect(all.filter(({ eventType }) => eventType === "RunTakenOver")).toHaveLength(0);
  });
});
