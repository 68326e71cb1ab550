// @module-tag T-10
/** Every behavior, on a Temporal cluster: with the events of the embedded engine (T1, T2). */
import { temporalEngine } from "@runledger/engine-temporal";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { startAnyTemporal, type AnyTemporalServer } from "@runledger/test-support/java-test-server";
import { requireAnyTemporal, requireTemporal } from "@runledger/test-support/temporal-provisioning";
import type { TemporalServer } from "@runledger/test-support/temporal-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Stage, type EngineUnderTest, type Prepared } from "./behavior.js";
import { behaviors } from "./behaviors/index.js";
import { canonicalRuns, childrenIn } from "./canonical.js";
import { startEngine } from "./engines.js";

const plays = behaviors.map(({ name, prepare }) => ({ name, embedded: prepare(), temporal: prepare() }));
const workflowsOf = (engine: "embedded" | "temporal") => plays.flatMap((play) => play[engine].workflows);

describeWith("on a Temporal server", [requireAnyTemporal], () => {
  let server: AnyTemporalServer;
  let embedded: EngineUnderTest;
  let temporal: EngineUnderTest;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    server = await startAnyTemporal();
    const database = await freshDatabase();
    const engine = temporalEngine({ address: server.address, taskQueue: "conformance" });
    temporal = await startEngine(database.url, { workflows: workflowsOf("temporal"), engine });
    embedded = await startEngine("memory:", { workflows: workflowsOf("embedded") });
    const ledgers = [temporal, embedded].map(
      ({ ledger }) =>
        () =>
          ledger.close(),
    );
    closing.push(
      ...ledgers,
      () => database.drop(),
      () => server.stop(),
    );
  }, 1_800_000);
  afterAll(async () => {
    for (const close of closing) await close();
  });

  async function played(engine: EngineUnderTest, { play }: Prepared): Promise<readonly string[]> {
    const stage = new Stage(engine);
    await play(stage);
    return stage.runs;
  }

  for (const play of plays)
    test.concurrent(play.name, async () => {
      const [there, here] = await Promise.all([played(temporal, play.temporal), played(embedded, play.embedded)]);
      const events = await canonicalRuns(temporal.ledger.store, there);
      expect(events).toEqual(await canonicalRuns(embedded.ledger.store, here));
      expect(events.length).toBeGreaterThan(0);
    });

  describeWith("with a list of executions", [requireTemporal], () => {
    test("each child has its own execution", async () => {
      const { store } = temporal.ledger;
      const heads = await store.listHeads();
      const logs = await Promise.all(heads.map(({ runId }) => store.fetchEvents(runId)));
      const children = logs.flatMap(childrenIn);
      expect(children.length).toBeGreaterThan(3);
      for (const runId of children) expect((await (server as TemporalServer).payloads(runId))[0]).toContain(runId);
    });
  });
});
