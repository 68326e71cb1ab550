import { expect, onTestFinished, test } from "vitest";
import { newEvent, type FullStateStore, type NewEvent, type RunHeader } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { Metrics } from "../metrics/metrics.js";
import { interceptStore, type Around } from "../testing/intercept-store.js";
import { VirtualTime } from "../testing/virtual-time.js";
import type { Alert } from "./alerts.js";
import { Projector, type ProjectorOptions } from "./projector.js";

const event = (runId: string, eventType: string, stepId?: string, eventData = {}): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", eventData, ...(stepId === undefined ? {} : { stepId }) });

interface World {
  readonly store: MemoryStore;
  readonly time: VirtualTime;
  readonly alerts: Alert[];
  readonly metrics: Metrics;
  readonly value: (name: string, labels?: Record<string, string>) => number | undefined;
  readonly project: (options?: ProjectorOptions, store?: FullStateStore) => Projector;
}

function world(): World {
  const time = new VirtualTime(Date.parse("2026-11-14T08:00:00Z"));
  const store = new MemoryStore({ now: time.now });
  const alerts: Alert[] = [];
  const metrics = new Metrics();
  return {
    store,
    time,
    alerts,
    metrics,
    value: (name, labels = {}) => {
      const family = metrics.snapshot().find((each) => each.name === `runledger_${name}`);
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
        await time.passTo(time.now() + 1000);
        await stopped;
      });
      return projector;
    },
  };
}

async function passes({ time }: World, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) await time.passTo(time.now() + 50);
}

const isCurrent = async (store: FullStateStore, runId: string): Promise<void> =>
  expect(await store.getSnapshot(runId)).toEqual(await store.projectSnapshot(runId));

test("[O-01] snapshots follow the log, also of runs that are older than the projector, and of long ones", async () => {
  const here = world();
  const { store } = here;
  await store.appendEvents([event("old", "RunStarted"), event("old", "StepStarted", "a")]);
  await store.appendEvents(Array.from({ length: 1700 }, (_, n) => event("long", "StepCompleted", `s${n}`)));
  await store.feed.pruneChanges(); // nobody followed yet: only the heads still tell of them
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
  expect(here.value("projector_events_total")).toBe(2 + 1700 + 2 + 1);
});

test("[O-01] only the steps that events name are written (F7)", async () => {
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

test("[O-02] lag above 5 s is an alert, once; above 10 s what is remembered is read again", async () => {
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
  expect(here.value("projector_lag_seconds")).toBe(0);
  isAway = true;
  await store.appendEvent(event("r", "StepStarted", "a"));
  await passes(here, 5_000);
  expect(await store.getSnapshot("r")).toMatchObject({ stale: true, lastEventSeq: 1 });
  isAway = false;
  await passes(here, 8_000);
  expect(here.alerts).toMatchObject([{ code: "PROJECTOR_LAG_HIGH", severity: "P2" }]);
  expect(here.value("projector_resyncs_total", { reason: "lag" })).toBe(1);
  expect(here.value("alerts_total", { code: "PROJECTOR_LAG_HIGH" })).toBe(1);
  expect(here.value("projector_lag_seconds")).toBe(0);
  await isCurrent(store, "r");
});

test("[O-02] a store that cannot be reached is lag, and an alert", async () => {
  const here = world();
  let isAway = false;
  const { RetryError } = await import("@runledger/contracts");
  const around: Around = async ({ proceed }) => {
    if (isAway) throw new RetryError("STORE_UNAVAILABLE", "gone");
    return proceed();
  };
  here.project({}, interceptStore(here.store, around));
  await passes(here, 200);
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

test("[O-03] F6: where numbers have no gaps, a gap is a fault: the run halts, says stale, and the others go on", async () => {
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
  expect(here.alerts).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "P1", runId: "torn" }]);
  expect(here.alerts[0]!.message).toContain("events 3 to 3 are missing");
  expect([here.value("projector_gaps_total"), here.value("projector_stale_runs")]).toEqual([1, 1]);
  expect(here.value("projector_resyncs_total", { reason: "gap" })).toBe(1);
  isTorn = false;
  await passes(here, 2_000);
  await isCurrent(store, "torn");
  expect(here.value("projector_stale_runs")).toBe(0);
});

test("[O-03] whoever takes over comes back to a run that the other stopped in front of", async () => {
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

test("[O-01] a run that cannot be saved is set aside, told of, and stops no other", async () => {
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

test("[O-01] the feed is pruned behind the projectors", async () => {
  const here = world();
  here.project();
  await passes(here, 100);
  for (let n = 0; n < 5; n++) await here.store.appendEvent(event("r", "StepStarted", `s${n}`));
  await passes(here, 12_000);
  expect(await here.store.feed.pruneChanges()).toBe(0);
  const late = await here.store.feed.readChanges(await here.store.feed.openFollower("late"));
  expect(late.changes).toEqual([]);
});

/** A run of which number 4 is drawn and held back while 5 and 6 come. */
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

test("[O-03] F6 P10: 1,2,3 then 5,6 then 4,7,8: every event is applied once, in order, and nothing is lost", async () => {
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
  expect(here.alerts).toEqual([]); // it is expected to fill
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
  expect([here.value("projector_events_total"), here.value("projector_gaps_total")]).toEqual([8, 1]);
});

test("[O-03] P10: a gap that does not fill is settled: its number is refused from then on, and readers go past it", async () => {
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

test("[O-03] P10: the engine refuses a store that leaves gaps", async () => {
  const { Ledger } = await import("../ledger/ledger.js");
  const ledger = new Ledger(new MemoryStore({ contiguous: false }), async () => {});
  await expect(ledger.worker({ workflows: [] })).rejects.toMatchObject({ code: "STORE_UNSUITABLE", family: "stop" });
});
