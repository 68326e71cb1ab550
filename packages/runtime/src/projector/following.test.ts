// @module-tag R-12
/** The cursors of a projector move only past changes that are projected. */
import { createNoopMeter } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { newEvent, RetryError, type FullStateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { interceptStore, type Around } from "../testing/intercept-store.js";
import { realTimers } from "../time/timers.js";
import type { Alert } from "./alerts.js";
import { Following } from "./following.js";
import { PARTITIONS } from "./partitions.js";
import { projectorMetrics } from "./projector-metrics.js";

/** A projector process that follows all partitions at their saved cursors. */
async function follow(store: FullStateStore, alerts: Alert[] = []): Promise<Following> {
  const following = new Following({
    store,
    timers: realTimers,
    metrics: projectorMetrics(createNoopMeter()),
    alert: (alert) => alerts.push(alert),
    fault: () => {},
    at: () => {},
    resyncs: () => 0,
    settleAfterMs: Infinity,
  });
  for (let partition = 0; partition < PARTITIONS; partition++) await following.cursors.take(partition);
  await following.enumerate(following.cursors.takeFresh(), new AbortController().signal);
  return following;
}

const steps = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    newEvent({ runId: "r", eventType: "StepCompleted", stepId: `s${n}`, planVersion: "1" }),
  );

async function withSavedCursors(): Promise<MemoryStore> {
  const store = new MemoryStore();
  const first = await follow(store);
  await first.turn();
  await first.save();
  return store;
}

const projectedSeq = async (store: FullStateStore): Promise<number | undefined> =>
  (await store.getSnapshot("r"))?.lastEventSeq;

test("no cursor is saved while a run that changed is not fully projected", async () => {
  const store = await withSavedCursors();
  await store.appendEvents(steps(1200)); // more than one turn folds
  const dying = await follow(store);
  expect(await dying.turn()).toBe(true);
  expect(await projectedSeq(store)).toBeLessThan(1200);
  await dying.save();
  const next = await follow(store);
  while (await next.turn());
  expect(await projectedSeq(store)).toBe(1200);
});

test("no cursor moves past a change whose projection failed", async () => {
  const store = await withSavedCursors();
  let isAway = true;
  const around: Around = async ({ name, proceed }) => {
    if (isAway && name === "snapshots.saveProjections") throw new RetryError("STORE_UNAVAILABLE", "gone");
    return proceed();
  };
  const dying = await follow(interceptStore(store, around));
  await store.appendEvents(steps(3));
  await expect(dying.turn()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await dying.save();
  isAway = false;
  const next = await follow(store);
  while (await next.turn());
  expect(await projectedSeq(store)).toBe(3);
  while (await dying.turn());
  await dying.save();
  const last = await follow(store);
  expect(await last.turn()).toBe(false);
});

test("a run that was half projected when the store went back is projected up to its earlier head", async () => {
  const [later, earlier] = [new MemoryStore(), new MemoryStore()];
  await later.appendEvents(steps(1200));
  await earlier.appendEvents(steps(300));
  let isBack = false;
  const around: Around = async ({ name, args, proceed }) => {
    if (!isBack) return proceed();
    const path = name.split(".");
    const port = path.slice(0, -1).reduce((at, part) => Reflect.get(at, part) as object, earlier as object);
    return Reflect.apply(Reflect.get(port, path.at(-1)!) as (...all: unknown[]) => unknown, port, args);
  };
  const alerts: Alert[] = [];
  const following = await follow(interceptStore(later, around), alerts);
  await later.appendEvents(steps(1800).slice(1200));
  expect(await following.turn()).toBe(true); // the run is open
  isBack = true;
  while (await following.turn()) await following.enumerate(following.cursors.takeFresh(), new AbortController().signal);
  expect(await projectedSeq(earlier)).toBe(300);
  expect(alerts.map(({ code }) => code)).toEqual(["EVENTS_LOST"]); // and no gap
});
