/** A log that several clients write and projectors follow, and what must be true of it. */
import { afterEach, beforeEach, expect } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { checkHistory, recordHistory, snapshotReplay } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import type { Running } from "@runledger/test-support/runledger-command";
import { startProjector } from "./projector-process.js";

let database: FreshDatabase;
let store: PostgresStore;

/** Creates a database for every test of the file. */
export function useLog(): void {
  beforeEach(async () => {
    database = await freshDatabase();
    store = await PostgresStore.open({ url: database.url });
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });
}

type Recorded = ReturnType<typeof recordHistory>;

/** Records the calls of the test, which `judged` checks. */
export const recordCalls = (): Recorded => recordHistory(store);

export const start = (...args: readonly string[]): Running => startProjector(database.url, ...args);

const event = (runId: string, eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", ...(stepId === undefined ? {} : { stepId }) });

const runIds = Array.from({ length: 24 }, (_, n) => `run-${n}`);

/** Appends a few events to every run from several clients at once. */
export async function write(recorded: Recorded, round: number): Promise<void> {
  const steps = [0, 1, 2].map((n) => `step-${round}-${n}`);
  const calls = runIds.map((runId) =>
    recorded.store.appendEvents(
      steps.flatMap((stepId) => [event(runId, "StepStarted", stepId), event(runId, "StepCompleted", stepId)]),
    ),
  );
  await Promise.all(calls);
}

/** Expects all projections and index rows to match the log. */
export async function isCurrent(): Promise<boolean> {
  for (const runId of runIds) {
    const [stored, folded] = [await store.getSnapshot(runId), await store.projectSnapshot(runId)];
    if (stored?.lastEventSeq !== folded.lastEventSeq) return false;
    expect(stored).toEqual(folded);
  }
  const { runs } = await store.index.listRuns({ tenantId: "default", limit: 100 });
  return runs.length === runIds.length && runs.every(({ stale }) => stale !== true);
}

export async function judged(recorded: Recorded): Promise<void> {
  expect(checkHistory(await recorded.finish(), { replay: snapshotReplay })).toMatchObject({ ok: true });
}
