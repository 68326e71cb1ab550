// @module-tag T-18
/** Every behavior on a store without a queue: runs start directly on the cluster, with the events of the embedded engine. */
import { temporalEngine } from "@runledger/engine-temporal";
import { connectDirectly } from "@runledger/runtime/ledger/direct-ledger";
import { sendSignal } from "@runledger/runtime/runs/signals";
import { MemoryStore } from "@runledger/store-memory";
import { startAnyTemporal, type AnyTemporalServer } from "@runledger/test-support/java-test-server";
import { describeWith } from "@runledger/test-support/requirements";
import { requireAnyTemporal } from "@runledger/test-support/temporal-provisioning";
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Stage, type EngineUnderTest, type Prepared } from "./behavior.js";
import { behaviors } from "./behaviors/index.js";
import { canonicalRuns } from "./canonical.js";
import { startEngine, startWorker } from "./engines.js";

const plays = behaviors.map(({ name, prepare }) => ({ name, embedded: prepare(), direct: prepare() }));
const workflowsOf = (engine: "embedded" | "direct") => plays.flatMap((play) => play[engine].workflows);

const lonely = workflow("lonely", { version: "1" }, (w) => w.waitForSignal("go"));

describeWith("started directly on a Temporal server", [requireAnyTemporal], () => {
  let server: AnyTemporalServer;
  let embedded: EngineUnderTest;
  let direct: EngineUnderTest;
  const log = new MemoryStore();

  beforeAll(async () => {
    server = await startAnyTemporal();
    const engine = temporalEngine({ address: server.address, taskQueue: "direct", continueAfterSteps: 3 });
    const ledger = await connectDirectly(async () => log, { engine });
    direct = await startWorker(ledger, { workflows: [...workflowsOf("direct"), lonely] });
    embedded = await startEngine("memory:", { workflows: workflowsOf("embedded") });
  }, 1_800_000);
  afterAll(async () => {
    for (const { ledger } of [direct, embedded]) await ledger.close();
    await server.stop();
  });

  async function played(engine: EngineUnderTest, { play }: Prepared): Promise<readonly string[]> {
    const stage = new Stage(engine);
    await play(stage);
    return stage.runs;
  }

  for (const play of plays)
    test.concurrent(play.name, async () => {
      const [there, here] = await Promise.all([played(direct, play.direct), played(embedded, play.embedded)]);
      const events = await canonicalRuns(direct.ledger.store, there);
      expect(events).toEqual(await canonicalRuns(embedded.ledger.store, here));
      expect(events.length).toBeGreaterThan(0);
    });

  test.concurrent("a signal whose sender was lost before the wake-up is found after a minute", async () => {
    const run = await direct.ledger.start(lonely);
    await until(async () => (await run.snapshot()).status === "RUNNING");
    await sendSignal({ store: log }, run.id, "go", "found"); // wakes nothing
    expect(await run.result()).toBe("found");
  });
});
