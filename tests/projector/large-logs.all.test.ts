// @module-tag R-08
/** A projector process with little memory projects logs that are larger than its memory. */
import { randomBytes } from "node:crypto";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";

const RUNS = 12;
const EVENTS = 80;

test("logs that are larger than the memory of a projector are projected in parts", { timeout: 600_000 }, async () => {
  const database = await freshDatabase();
  const store = await PostgresStore.open({ url: database.url });
  onTestFinished(async () => {
    await store.close();
    await database.drop();
  });
  const runIds = Array.from({ length: RUNS }, (_, n) => `run-${n}`);
  for (const runId of runIds)
    for (let from = 0; from < EVENTS; from += 20)
      await store.appendEvents(
        Array.from({ length: 20 }, (_, n) => {
          const parts = { runId, eventType: "StepCompleted", stepId: `s${from + n}`, planVersion: "1" };
          return newEvent({ ...parts, eventData: { output: randomBytes(150_000).toString("base64") } });
        }),
      );
  const where = { cwd: process.cwd(), env: { NODE_OPTIONS: "--max-old-space-size=128" } };
  const projector = startProgram(where, "tests/projector/projector-program.mjs", database.url);
  let hasEnded = false;
  void projector.ended.then(() => (hasEnded = true));
  const isProjected = async () => {
    expect(hasEnded).toBe(false);
    const snapshots = await Promise.all(runIds.map((runId) => store.getSnapshot(runId)));
    return snapshots.every((snapshot) => snapshot?.lastEventSeq === EVENTS);
  };
  await until(isProjected);
  projector.kill("SIGTERM");
  await projector.ended;
});
