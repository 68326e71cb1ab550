/** Projectors as they run: processes of their own that are killed, stopped, and take over from each other. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { checkHistory, recordHistory, snapshotReplay } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { crashPoints } from "../../packages/runledger/src/projector/crash-points.js";
import { PARTITIONS } from "../../packages/runledger/src/projector/partitions.js";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import type { Running } from "../support/runledger-command.js";
import { isStopped, said, startProjector } from "./projector-process.js";

let database: FreshDatabase;
let store: PostgresStore;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const start = (...args: readonly string[]): Running => startProjector(database.url, ...args);

const event = (runId: string, eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", ...(stepId === undefined ? {} : { stepId }) });

const runIds = Array.from({ length: 24 }, (_, n) => `run-${n}`);

/** Every run goes on by a few events, from several clients at once. */
async function write(recorded: ReturnType<typeof recordHistory>, round: number): Promise<void> {
  const steps = [0, 1, 2].map((n) => `step-${round}-${n}`);
  const calls = runIds.map((runId) =>
    recorded.store.appendEvents(
      steps.flatMap((stepId) => [event(runId, "StepStarted", stepId), event(runId, "StepCompleted", stepId)]),
    ),
  );
  await Promise.all(calls);
}

/** All projections, and all rows of the index, say what the log says. */
async function isCurrent(): Promise<boolean> {
  for (const runId of runIds) {
    const [stored, folded] = [await store.getSnapshot(runId), await store.projectSnapshot(runId)];
    if (stored?.lastEventSeq !== folded.lastEventSeq) return false;
    expect(stored).toEqual(folded);
  }
  const { runs } = await store.index.listRuns({ tenantId: "default", limit: 100 });
  return runs.length === runIds.length && runs.every(({ stale }) => stale !== true);
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(50);
}

async function judged(recorded: ReturnType<typeof recordHistory>): Promise<void> {
  expect(checkHistory(await recorded.finish(), { replay: snapshotReplay })).toMatchObject({ ok: true });
}

test("[O-01] killed with -9 at every named place, each time in the middle of work, the next one goes on", async () => {
  const recorded = recordHistory(store);
  for (const [round, point] of crashPoints.entries()) {
    const projector = start(point, String(round % 3));
    for (let more = 0; ; more++) {
      await write(recorded, round * 100 + more);
      const ended = await Promise.race([projector.ended, sleep(200)]);
      if (ended !== undefined) break;
    }
    expect(await projector.ended).toMatchObject({ signal: "SIGKILL" });
  }
  await write(recorded, crashPoints.length * 100); // and with nobody there
  expect(await isCurrent()).toBe(false);
  start();
  await until(isCurrent);
  await judged(recorded);
});

test("[O-01] several processes share runs out; those of one that is killed are taken over", async () => {
  const recorded = recordHistory(store);
  const projectors = [start(), start(), start()];
  const shared = () => projectors.flatMap((each) => said(each).partitions);
  const isShared = () => new Set(shared()).size === PARTITIONS && shared().length === PARTITIONS;
  await until(() => isShared() && projectors.every((each) => said(each).partitions.length > 0));
  await write(recorded, 1);
  await until(isCurrent);
  await until(() => projectors.every((each) => (said(each).metrics["projector_saves_total"] ?? 0) > 0));
  projectors[1]!.kill("SIGKILL");
  await write(recorded, 2);
  await until(isCurrent);
  projectors.splice(1, 1);
  await until(() => new Set(shared()).size === PARTITIONS);
  projectors[0]!.kill("SIGTERM");
  await projectors[0]!.ended;
  await write(recorded, 3);
  await until(isCurrent);
  await judged(recorded);
});

test("[O-04] one that was stopped past its turn and wakes up overwrites nothing", async () => {
  const recorded = recordHistory(store);
  await write(recorded, 0);
  // Before it folds, with what it has folded in its hands, and before it says how far it got.
  const stopped = ["projections-read", "folded", "page-projected"].map((point) => start(point, "1", "SIGSTOP"));
  let round = 1;
  for (; !stopped.every(isStopped); round++) {
    await write(recorded, round); // so that whoever comes late has work to stop at
    await sleep(200);
  }
  const other = start();
  await write(recorded, round);
  await until(isCurrent);
  for (const each of stopped) each.kill("SIGCONT");
  for (let look = 0; look < 10; look++) {
    await sleep(50);
    expect(await isCurrent()).toBe(true);
  }
  other.kill("SIGKILL");
  await write(recorded, round + 1);
  await until(isCurrent);
  await judged(recorded);
});
