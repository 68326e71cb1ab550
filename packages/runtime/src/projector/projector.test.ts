// @module-tag O-03
import { expect, onTestFinished, test } from "vitest";
import { newEvent, omitUndefined, type FullStateStore, type NewEvent, type RunHeader } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import type { Metrics } from "../telemetry/metrics.js";
import { collectMetrics } from "../telemetry/collect-metrics.js";
import { interceptStore, type Around } from "../testing/intercept-store.js";
import { VirtualTime } from "../testing/virtual-time.js";
import type { Alert } from "./alerts.js";
import { GROUP } from "./partitions.js";
import { Projector, type ProjectorOptions } from "./projector.js";

const event = (runId: string, eventType: string, stepId?: string, eventData = {}): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", eventData, ...omitUndefined({ stepId }) });

interface World {
  readonly store: MemoryStore;
  readonly time: VirtualTime;
  readonly alerts: Alert[];
  readonly metrics: Metrics;
  readonly value: (name: string, labels?: Record<string, string>) => Promise<number | undefined>;
  readonly project: (options?: ProjectorOptions, store?: FullStateStore) => Projector;
}

function world(): World {
  const time = new VirtualTime(Date.parse("2026-11-14T08:00:00Z"));
  const store = new MemoryStore({ now: time.now });
  const alerts: Alert[] = [];
  const metrics = collectMetrics();
  return {
    store,
    time,
    alerts,
    metrics,
    value: async (name, labels = {}) => {
      const family = (await metrics.read()).find((each) => each.name === `runledger_${name}`);
      return family?.samples.find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
    },
    project: (options = {}, on = store) => {
      const projector = new Projector(on, {
        timers: time,
        metrics,
        onAlert: (alert) => alerts.push(alert),
        ...options,
      });
      onTestFinished(async () => {
        const stopped = projector.stop();
        await time.advanceTo(time.now() + 1000);
        await stopped;
      });
      return projector;
    },
  };
}

async function passes({ time }: World, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) await time.advanceTo(time.now() + 50);
}

const isCurrent = async (store: FullStateStore, runId: string): Promise<void> =>
  expect(await store.getSnapshot(runId)).toEqual(await store.projectSnapshot(runId));

test(
  "snapshots follow the log, including long runs and runs older than the projector",
  { tags: ["O-01"] },
  async () => {
    const here = world();
    const { store } = here;
    await store.appendEvents([event("old", "RunStarted"), event("old", "StepStarted", "a")]);
    await store.appendEvents(Array.from({ length: 1700 }, (_, n) => event("long", "StepCompleted", `s${n}`)));
    await store.feed.pruneChanges(); // no follower yet: only the heads still list them
    here.project();
    await passes(here, 300);
    await isCurrent(store, "old");
    await isCurrent(store, "long");
    const reset = { steps: ["a", { container: "each", from: 0, to: 1, step: "x" }] };
    await store.appendEvents([event("old", "StepFailed", "a"), event("old", "StepsReset", undefined, reset)]);
    await store.appendEvent(event("new", "RunQueued"));
    await passes(here, 300);
    await isCurrent(store, "old");
    await isCurrent(store, "new");
    expect((await store.index.listRuns({ tenantId: "default" })).runs.length).toBe(3);
    expect(await here.value("projector_events_total")).toBe(2 + 1700 + 2 + 1);
  },
);

test("only the steps that events name are written (F7)", { tags: ["O-01"] }, async () => {
  const here = world();
  const written: number[] = [];
  const around: Around = async ({ name, args, proceed }) => {
    if (name === "snapshots.saveProjections")
      for (const { steps } of args[0] as { steps: unknown[] }[]) written.push(steps.length);
    return proceed();
  };
  here.project({}, interceptStore(here.store, around));
  await passes(here, 200);
  await here.store.appendEvents(Array.from({ length: 100 }, (_, n) => event("r", "StepStarted", `s${n}`)));
  await passes(here, 200);
  await here.store.appendEvents([event("r", "StepCompleted", "s7"), event("r", "StepCompleted", "s8")]);
  await passes(here, 200);
  await here.store.appendEvent(event("r", "RunPaused"));
  await passes(here, 200);
  expect(written).toEqual([100, 2, 0]);
  await isCurrent(here.store, "r");
});

test("an event is visible after one poll, and its lag is recorded", { tags: ["O-02", "R-11"] }, async () => {
  const here = world();
  const { store } = here;
  const first = here.project();
  await passes(here, 1_000);
  await store.appendEvent(event("r", "RunStarted"));
  await passes(here, 100);
  await isCurrent(store, "r");
  const soon = (await here.value("projector_event_lag_seconds"))!;
  expect(soon).toBeLessThanOrEqual(0.1);
  const stopped = first.stop();
  await passes(here, 500);
  await stopped;
  await store.appendEvent(event("r", "StepStarted", "a"));
  await passes(here, 7_000);
  here.project();
  await passes(here, 500);
  await isCurrent(store, "r");
  expect((await here.value("projector_event_lag_seconds"))! - soon).toBeCloseTo(7, 0);
});

test("lag above 5 s raises one alert; above 10 s the projector drops its cache", { tags: ["O-02"] }, async () => {
  const here = world();
  const { store, time } = here;
  let isAway = false;
  const around: Around = async ({ name, proceed }) => {
    if (isAway && name === "snapshots.saveProjections")
      await new Promise((resolve) => time.after(12_000, () => resolve(null)));
    return proceed();
  };
  here.project({ memberTtlMs: 60_000 }, interceptStore(store, around));
  await store.appendEvent(event("r", "RunStarted"));
  await passes(here, 200);
  expect(here.alerts).toEqual([]);
  expect(await here.value("projector_lag_seconds")).toBe(0);
  isAway = true;
  await store.appendEvent(event("r", "StepStarted", "a"));
  await passes(here, 7_000);
  expect(await store.getSnapshot("r")).toMatchObject({ stale: true, lastEventSeq: 1 });
  expect(here.alerts).toMatchObject([{ code: "PROJECTOR_LAG_HIGH", severity: "warning" }]); // while it is stalled
  expect(await here.value("projector_lag_seconds")).toBeGreaterThan(5);
  isAway = false;
  await passes(here, 6_500);
  expect(here.alerts.length).toBe(1);
  expect(await here.value("projector_resyncs_total", { reason: "lag" })).toBe(1);
  expect(await here.value("projector_lag_seconds")).toBe(0);
  await isCurrent(store, "r");
});

test("an unreachable store counts as lag and raises an alert", { tags: ["O-02"] }, async () => {
  const here = world();
  let isAway = false;
  const { RetryError } = await import("@runledger/contracts");
  const around: Around = async ({ proceed }) => {
    if (isAway) throw new RetryError("STORE_UNAVAILABLE", "gone");
    return proceed();
  };
  here.project({}, interceptStore(here.store, around));
  await passes(here, 20_000); // the lag counts from the last answer
  isAway = true;
  await passes(here, 4_000);
  expect(here.alerts).toEqual([]);
  await passes(here, 2_000);
  expect(here.alerts.map(({ code }) => code)).toEqual(["PROJECTOR_LAG_HIGH"]);
  isAway = false;
  await here.store.appendEvent(event("r", "RunStarted"));
  await passes(here, 500);
  await isCurrent(here.store, "r");
});

test("F6: with a contiguous authority, a gap halts its run as stale, and other runs continue", async () => {
  const here = world();
  const { store } = here;
  let isTorn = true;
  const around: Around = async ({ name, proceed }) => {
    const found = await proceed();
    if (name !== "feed.fetchRuns" || !isTorn) return found;
    return (found as { runSeq: number; runId: string }[][]).map((events) =>
      events.filter(({ runSeq, runId }) => runId !== "torn" || runSeq !== 3),
    );
  };
  here.project({}, interceptStore(store, around));
  await store.appendEvents(Array.from({ length: 5 }, (_, n) => event("torn", "StepStarted", `s${n}`)));
  await store.appendEvent(event("whole", "RunStarted"));
  await passes(here, 3_000);
  expect(await store.getSnapshot("torn")).toMatchObject({ stale: true, lastEventSeq: 2 });
  await isCurrent(store, "whole");
  expect(here.alerts).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: "torn" }]);
  expect(here.alerts[0]!.message).toContain("Event 3 is missing");
  expect([await here.value("projector_gaps_total"), await here.value("projector_stale_runs")]).toEqual([1, 1]);
  expect(await here.value("projector_resyncs_total", { reason: "gap" })).toBe(1);
  isTorn = false;
  await passes(here, 2_000);
  await isCurrent(store, "torn");
  expect(await here.value("projector_stale_runs")).toBe(0);
});

test("a projector that takes over retries runs that stopped before a gap", async () => {
  const here = world();
  const { store } = here;
  let isTorn = true;
  const around: Around = async ({ name, proceed }) => {
    const found = await proceed();
    if (name !== "feed.fetchRuns" || !isTorn) return found;
    return (found as { runSeq: number }[][]).map((events) => events.filter(({ runSeq }) => runSeq !== 2));
  };
  const first = here.project({}, interceptStore(store, around));
  await store.appendEvents(Array.from({ length: 3 }, (_, n) => event("r", "StepStarted", `s${n}`)));
  await passes(here, 1_000);
  const stopped = first.stop();
  await passes(here, 500);
  await stopped;
  isTorn = false;
  here.project();
  await passes(here, 2_000);
  await isCurrent(store, "r");
});

test("a run that cannot be saved is reported and blocks no other run", { tags: ["O-01"] }, async () => {
  const here = world();
  const { StopError } = await import("@runledger/contracts");
  let isBroken = true;
  const around: Around = async ({ name, args, proceed }) => {
    const changes = name === "snapshots.saveProjections" ? (args[0] as { header: { runId: string } }[]) : [];
    if (isBroken && changes.some(({ header }) => header.runId === "poison"))
      throw new StopError("STORE_FAULT", "PostgreSQL refused");
    return proceed();
  };
  const faults: (string | undefined)[] = [];
  here.project({ onFault: ({ runId }) => faults.push(runId) }, interceptStore(here.store, around));
  const runIds = ["a", "poison", "b", "c"];
  await here.store.appendEvents(runIds.map((runId) => event(runId, "RunStarted")));
  await passes(here, 1_000);
  for (const runId of ["a", "b", "c"]) await isCurrent(here.store, runId);
  expect([faults, await here.store.getSnapshot("poison")]).toEqual([["poison"], null]);
  isBroken = false;
  await passes(here, 2_000);
  await isCurrent(here.store, "poison");
});

test("a run that can no longer be read is marked stale for the next projector", { tags: ["R-12"] }, async () => {
  const here = world();
  let isBroken = false;
  const around: Around = async ({ name, args, proceed }) => {
    const runs = name === "feed.fetchRuns" ? (args[0] as { runId: string }[]) : [];
    if (isBroken && runs.some(({ runId }) => runId === "poison")) throw new Error("cannot be read");
    return proceed();
  };
  here.project({ onFault: () => {} }, interceptStore(here.store, around));
  await here.store.appendEvents([event("poison", "RunStarted"), event("sound", "RunStarted")]);
  await passes(here, 500);
  isBroken = true;
  await here.store.appendEvents([event("poison", "RunCompleted"), event("sound", "RunCompleted")]);
  await passes(here, 1_000);
  await isCurrent(here.store, "sound");
  expect(await here.store.snapshots.listStale()).toEqual(["poison"]);
});

test("a run that was deleted and imported again is projected again", { tags: ["B-31"] }, async () => {
  const here = world();
  const { store } = here;
  here.project();
  await store.appendEvents([event("r", "RunStarted"), event("r", "RunCompleted")]);
  await passes(here, 12_000); // until the projector has saved its cursor
  const events = await store.fetchEvents("r");
  expect(await store.archive.archiveRun("r")).toMatchObject({ archived: true });
  expect(await store.retention.deleteRun("r")).toMatchObject({ deleted: true });
  expect(await store.getSnapshot("r")).toBeNull();
  await store.copies.writeCopies([{ runId: "r", tenantId: "default", afterSeq: 0, events, place: null }]);
  await passes(here, 500);
  await isCurrent(store, "r");
});

test("projectors prune the feed behind them", { tags: ["O-01"] }, async () => {
  const here = world();
  here.project();
  await passes(here, 100);
  for (let n = 0; n < 5; n++) await here.store.appendEvent(event("r", "StepStarted", `s${n}`));
  await passes(here, 12_000);
  expect(await here.store.feed.pruneChanges()).toBe(0);
  const late = await here.store.feed.readChanges(await here.store.feed.openFollower("late"));
  expect(late.changes).toEqual([]);
});

/** A run whose number 4 is drawn and held back while 5 and 6 arrive. */
async function withGap(here: World) {
  const numbers: number[][] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const store = new MemoryStore({ contiguous: false, now: here.time.now });
  const slow = new MemoryStore({
    contiguous: false,
    shares: store,
    hold: ({ numbers: drawn }) => (numbers.push([...drawn]), held),
  });
  const step = (n: number) => event("r", "StepStarted", `s${n}`);
  await store.appendEvents([step(1), step(2), step(3)]);
  const late = slow.appendEvent(step(4));
  await here.time.settle();
  await store.appendEvents([step(5), step(6)]);
  expect(numbers).toEqual([[4]]);
  return { store, slow, step, late, letGo };
}

test("F6 P10: 1,2,3 then 5,6 then 4,7,8: every event is applied once, in order, and nothing is lost", async () => {
  const here = world();
  const { store, step, late, letGo } = await withGap(here);
  const saved: [number, boolean | undefined][] = [];
  const around: Around = async ({ name, args, proceed }) => {
    const changes = name === "snapshots.saveProjections" ? (args[0] as { header: RunHeader }[]) : [];
    for (const { header } of changes) saved.push([header.lastEventSeq, header.stale]);
    return proceed();
  };
  here.project({}, interceptStore(store, around));
  await passes(here, 2_000);
  expect(await store.getSnapshot("r")).toMatchObject({ stale: true, lastEventSeq: 3 });
  expect(here.alerts).toEqual([]); // the gap is expected to fill
  letGo();
  await here.time.settle();
  expect(await late).toMatchObject({ runSeq: 4 });
  await store.appendEvents([step(7), step(8)]);
  await passes(here, 1_000);
  await isCurrent(store, "r");
  expect((await store.getSnapshot("r"))!.steps.map(({ stepId }) => stepId)).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `s${n}`),
  );
  expect([saved[0], saved.at(-1)]).toEqual([
    [3, true],
    [8, undefined],
  ]);
  expect([await here.value("projector_events_total"), await here.value("projector_gaps_total")]).toEqual([8, 1]);
});

test("P10: a gap that does not fill is settled: its number is refused, and readers skip it", async () => {
  const here = world();
  const { store, slow, step, late, letGo } = await withGap(here);
  here.project({ settleAfterMs: 3_000 }, store);
  await passes(here, 2_000);
  expect(await store.getSnapshot("r")).toMatchObject({ stale: true, lastEventSeq: 3 });
  await passes(here, 3_000);
  await isCurrent(store, "r");
  expect(await store.fetchHeads(["r"])).toMatchObject([{ headSeq: 6, settledSeq: 4 }]);
  letGo();
  await expect(late).rejects.toMatchObject({ family: "retry" });
  expect(await slow.appendEvent(step(4))).toMatchObject({ runSeq: 7, persisted: true });
  await passes(here, 1_000);
  await isCurrent(store, "r");
});

test("P10: the engine refuses a store that leaves gaps", async () => {
  const { Ledger } = await import("../ledger/ledger.js");
  const ledger = new Ledger(new MemoryStore({ contiguous: false }), async () => {});
  await expect(ledger.worker({ workflows: [] })).rejects.toMatchObject({ code: "STORE_UNSUITABLE", family: "stop" });
});

test(
  "a stopped projector leaves its group, so that the others share its work at once",
  { tags: ["R-12"] },
  async () => {
    const here = world();
    const projector = here.project();
    await passes(here, 100);
    const next = { group: GROUP, member: "next", ttlMs: 60_000 };
    expect(await here.store.feed.attend(next)).toHaveLength(2);
    const stopped = projector.stop();
    await passes(here, 100);
    await stopped;
    expect(await here.store.feed.attend(next)).toEqual(["next"]);
  },
);
