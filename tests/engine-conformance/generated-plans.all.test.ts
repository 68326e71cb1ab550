// @module-tag T-10
/** Generated plans record the same events on the embedded engine and on a Temporal cluster. */
import { temporalEngine } from "@runledger/engine-temporal";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import type { Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalRuns, type CanonicalEvents } from "./canonical.js";
import { generateRuns, playAll } from "./generated-plans.js";

const PLANS = 200;

describeWith("on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  test(`${PLANS} generated plans record the same events on both engines`, async () => {
    const runs = generateRuns(PLANS);
    const database = await freshDatabase();
    const engine = temporalEngine({ address: server.address, taskQueue: "generated" });
    const [there, here] = await Promise.all([
      playAll(database.url, runs, { engine }),
      playAll("memory:", runs, { concurrency: PLANS * 2 }),
    ]);
    let events = 0;
    for (const { runId } of runs) {
      const [actual, expected] = await Promise.all([there, here].map((ledger) => recorded(ledger, runId)));
      events += actual!.flatMap((run) => Object.values(run).flat()).length;
      expect.soft(actual, runId).toEqual(expected);
    }
    console.log(`${events} events of ${runs.length} plans`);
    await Promise.all([there.close(), here.close()]);
    await database.drop();
    expect(events).toBeGreaterThan(PLANS * 5);
  }, 900_000);
});

async function recorded({ store }: Ledger, runId: string): Promise<readonly CanonicalEvents[]> {
  return (await canonicalRuns(store, [runId])).map(withoutChance);
}

/** If several steps fail, the first one counts as the culprit. Which one that is depends on timing, on any engine. */
function withoutChance(run: CanonicalEvents): CanonicalEvents {
  const failures = Object.values(run).filter((events) => JSON.stringify(events).includes(`"StepFailed"`));
  if (failures.length < 2) return run;
  return JSON.parse(JSON.stringify(run), (key, value: unknown) =>
    key === "culprit" ? "a failed step" : value,
  ) as CanonicalEvents;
}
