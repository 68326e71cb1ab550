// @module-tag R-10
/** Projects, verifies and rebuilds a store that has a log and snapshots only. */
import { newEvent, type StateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { VirtualTime } from "../testing/virtual-time.js";
import type { Alert } from "./alerts.js";
import { rebuildLogs, verifyLogs } from "./check-logs.js";
import { LogProjector, projectLogs } from "./project-logs.js";

const event = (runId: string, eventType: string, stepId?: string) =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", ...(stepId === undefined ? {} : { stepId }) });

/** The ports that such a store has. */
function logStore(): StateStore {
  return new Proxy(new MemoryStore(), {
    get: (store, name) => {
      if (["feed", "queue", "leases", "derived", "keyframes", "index"].includes(String(name))) return undefined;
      const value = Reflect.get(store, name) as unknown;
      return typeof value === "function" ? (value.bind(store) as unknown) : value;
    },
  });
}

async function isCurrent(store: StateStore, runId: string): Promise<void> {
  expect(await store.getSnapshot(runId)).toEqual(await store.projectSnapshot(runId));
}

test("runs of another engine are projected, also if they are longer than a turn", async () => {
  const store = logStore();
  await store.appendEvents([event("a", "RunStarted"), event("b", "RunStarted"), event("b", "RunCompleted")]);
  const steps = Array.from({ length: 5200 }, (_, n) => event("long", "StepStarted", `s${n}`));
  await store.appendEvents(steps);
  expect(await projectLogs(store)).toBe(3);
  for (const runId of ["a", "b", "long"]) await isCurrent(store, runId);
  expect(await projectLogs(store)).toBe(0);
  await store.appendEvents([event("long", "StepCompleted", "s7"), event("a", "StepStarted", "s1")]);
  expect(await projectLogs(store)).toBe(2);
  for (const runId of ["a", "long"]) await isCurrent(store, runId);
});

test("two projectors at once save each event once", async () => {
  const store = logStore();
  await store.appendEvents(Array.from({ length: 300 }, (_, n) => event(`run-${n % 30}`, "StepStarted", `s${n}`)));
  await Promise.all([projectLogs(store), projectLogs(store), projectLogs(store)]);
  for (let n = 0; n < 30; n++) await isCurrent(store, `run-${n}`);
});

test("a projector polls, and stops before a gap with one alert", async () => {
  const time = new VirtualTime(Date.parse("2026-11-14T08:00:00Z"));
  const store = logStore();
  const fetchEvents = store.fetchEvents.bind(store);
  const alerts: Alert[] = [];
  const torn = new Proxy(store, {
    get: (target, name) => {
      if (name !== "fetchEvents") return Reflect.get(target, name) as unknown;
      return async (...args: Parameters<typeof fetchEvents>) =>
        (await fetchEvents(...args)).filter(({ runId, runSeq }) => runId !== "torn" || runSeq !== 2);
    },
  });
  const projector = new LogProjector(torn, { timers: time, pollMs: 1000, onAlert: (alert) => alerts.push(alert) });
  onTestFinished(async () => {
    const stopped = projector.stop();
    await time.advanceTo(time.now() + 1000);
    await stopped;
  });
  await time.advanceTo(time.now() + 10);
  await store.appendEvents(["a", "b", "c"].map((stepId) => event("torn", "StepStarted", stepId)));
  await store.appendEvent(event("whole", "RunStarted"));
  for (let round = 0; round < 3; round++) await time.advanceTo(time.now() + 1000);
  await isCurrent(store, "whole");
  expect(await store.getSnapshot("torn")).toMatchObject({ lastEventSeq: 1, stale: true });
  expect(alerts).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", runId: "torn" }]);
});

async function verified(store: StateStore) {
  const found = [];
  for await (const { runId, differences, damage } of verifyLogs(store)) found.push({ runId, differences, damage });
  return found.filter(({ differences, damage }) => differences.length + damage.length > 0);
}

test("verify finds a wrong header and a wrong step, and rebuild corrects them", async () => {
  const store = logStore();
  await store.appendEvents([event("a", "RunStarted"), event("a", "StepStarted", "s1"), event("b", "RunStarted")]);
  expect(await verified(store)).toEqual([]);
  const { header, steps } = (await store.snapshots.readProjection({ runId: "a", stepIds: ["s1"] }))!;
  const extra = { ...steps[0]!, stepId: "other", ordinal: 1 };
  await store.snapshots.saveProjection({ readSeq: 2, header: { ...header, failedSteps: 7 }, steps: [extra] });
  for await (const run of verifyLogs(store, { runId: "b" })) expect(run).toMatchObject({ runId: "b", differences: [] });
  const [wrong] = await verified(store);
  expect(wrong).toEqual({
    runId: "a",
    differences: ["header: failedSteps differs from the log", "step other: its row differs from the log"],
    damage: [],
  });
  const rebuilt = [];
  for await (const run of rebuildLogs(store)) rebuilt.push(run);
  expect(rebuilt.map(({ runId, lastEventSeq, damaged }) => [runId, lastEventSeq, damaged])).toEqual([
    ["a", 2, false],
    ["b", 1, false],
  ]);
  expect(await verified(store)).toEqual([]);
  await isCurrent(store, "a");
});

test("rebuild repeats a run that a projector saved meanwhile, and an aborted walk stops", async () => {
  const store = logStore();
  await store.appendEvents(["a", "b", "c"].map((runId) => event(runId, "RunStarted")));
  await projectLogs(store);
  const saves: number[] = [];
  const { snapshots } = store;
  const raced = Object.assign(Object.create(store) as StateStore, {
    snapshots: {
      readProjection: snapshots.readProjection.bind(snapshots),
      listSteps: snapshots.listSteps.bind(snapshots),
      saveProjection: async (change: Parameters<typeof snapshots.saveProjection>[0]) =>
        saves.push(change.readSeq) > 1 && (await snapshots.saveProjection(change)),
    },
  });
  const stop = new AbortController();
  const rebuilt: string[] = [];
  for await (const { runId } of rebuildLogs(raced, { signal: stop.signal })) {
    rebuilt.push(runId);
    if (rebuilt.length === 2) stop.abort();
  }
  expect([rebuilt, saves]).toEqual([
    ["a", "b"],
    [1, 1, 1],
  ]);
});
