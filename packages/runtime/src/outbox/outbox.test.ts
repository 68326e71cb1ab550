// @module-tag B-04
/** Backoff on a virtual clock: a bus that is down for an hour, and events that it refuses. */
import { newEvent, type NewEvent } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { VirtualTime } from "../testing/virtual-time.js";
import type { OutboxAlert } from "./alerts.js";
import { busDelay, eventDelay } from "./backoff.js";
import { BusUnavailableError, inProcessBus, type BusMessage } from "./event-bus.js";
import { Outbox } from "./outbox.js";

const START = Date.parse("2026-11-16T08:00:00Z");
const HOUR = 3_600_000;

const step = (runId: string, stepId: string): NewEvent =>
  newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1" });

async function world(publish: (message: BusMessage) => void, maxAttempts = 20) {
  const time = new VirtualTime(START);
  const store = new MemoryStore({ now: time.now });
  const alerts: OutboxAlert[] = [];
  const name = { tenantId: "default", subscriptionId: "s" };
  const definition = { bus: { type: "here" }, filter: {}, maxAttempts };
  await store.outbox.createSubscription({ ...name, definition, startsAt: null });
  const outbox = new Outbox(
    store,
    { pollMs: 1000, buses: { here: inProcessBus(publish) }, onAlert: (alert) => alerts.push(alert) },
    { secrets: { resolve: async () => ({}) }, timers: time, random: () => 0.5 },
  );
  onTestFinished(async () => {
    const stopped = outbox.stop();
    await time.advanceTo(time.now() + 2000);
    await stopped;
  });
  const passes = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1000) await time.advanceTo(time.now() + 1000);
  };
  const status = () => store.outbox.subscriptionStatus(name);
  return { time, store, alerts, passes, status };
}

test("a bus that is down for an hour is tried about once a minute, and then gets everything in order", async () => {
  const received: string[] = [];
  let attempts = 0;
  let isDown = true;
  const here = await world(({ runId, events }) => {
    attempts++;
    if (isDown) throw new BusUnavailableError("down");
    received.push(...events.map(({ sequence }) => `${runId} ${Number(sequence)}`));
  });
  const runIds = Array.from({ length: 30 }, (_, n) => `run-${n}`);
  for (let round = 0; round < 12; round++) {
    await here.store.appendEvents(runIds.map((runId) => step(runId, `s${round}`)));
    await here.passes(HOUR / 12);
  }
  expect(attempts).toBeGreaterThan(50);
  expect(attempts).toBeLessThan(150);
  expect(here.alerts).toEqual([]); // no event is blamed
  isDown = false;
  await here.passes(11 * 60_000);
  expect(received.length).toBe(360);
  for (const runId of runIds)
    expect(received.filter((place) => place.startsWith(`${runId} `))).toEqual(
      Array.from({ length: 12 }, (_, n) => `${runId} ${n + 1}`),
    );
  expect(await here.status()).toMatchObject({ pendingRuns: 0, deadLetters: 0 });
});

test("an event that makes the bus unavailable counts its attempts once others are accepted", async () => {
  const received: string[] = [];
  const here = await world(({ runId }) => {
    if (runId === "bad") throw new BusUnavailableError("crashed");
    received.push(runId);
  }, 3);
  await here.store.appendEvents([step("bad", "a")]);
  for (let n = 0; n < 60; n++) {
    await here.store.appendEvents([step(`good-${n}`, "a")]);
    await here.passes(3000);
  }
  expect(received.length).toBeGreaterThan(50);
  expect(here.alerts.map(({ code, runId }) => [code, runId])).toEqual([["OUTBOX_DEAD_LETTER", "bad"]]);
  expect(await here.status()).toMatchObject({ deadLetters: 1 });
});

test("only the event at fault of a refused batch becomes a dead letter, even after one attempt", async () => {
  const received: string[] = [];
  const here = await world(({ events }) => {
    if (events.some(({ subject }) => subject === "bad")) throw new Error("refused");
    received.push(...events.map(({ subject }) => subject!));
  }, 1);
  await here.store.appendEvents([step("r", "a"), step("r", "b"), step("r", "bad"), step("r", "d")]);
  await here.passes(30_000);
  expect(received).toEqual(["a", "b"]);
  expect((await here.store.outbox.listDeadLetters({ tenantId: "default" })).map(({ runSeq }) => runSeq)).toEqual([3]);
});

test("a bus that no process has registered loses nothing and blames no event", async () => {
  const here = await world(() => {});
  const other = { tenantId: "default", subscriptionId: "elsewhere" };
  const definition = { bus: { type: "other" }, filter: {}, maxAttempts: 1 };
  await here.store.outbox.createSubscription({ ...other, definition, startsAt: null });
  await here.store.appendEvents([step("r", "a")]);
  await here.passes(10_000);
  expect((await here.store.outbox.getSubscription(other)).subscription?.lastError?.message).toContain('bus "other"');
  expect(await here.store.outbox.subscriptionStatus(other)).toMatchObject({ pendingRuns: 1, deadLetters: 0 });
});

test("a subscription is delivered once its definition names a registered bus", async () => {
  const received: string[] = [];
  const here = await world(({ subscriptionId, runId }) => void received.push(`${subscriptionId} ${runId}`));
  const other = { tenantId: "default", subscriptionId: "wrong" };
  const definition = { bus: { type: "hear" }, filter: {}, maxAttempts: 1 };
  await here.store.outbox.createSubscription({ ...other, definition, startsAt: null });
  await here.store.appendEvents([step("r", "a")]);
  await here.passes(10_000);
  expect(received).toEqual(["s r"]);
  await here.store.outbox.changeSubscription(other, { ...definition, bus: { type: "here" } });
  await here.passes(60_000);
  expect(received).toEqual(["s r", "wrong r"]);
});

test("without subscriptions, nothing keeps the feed from being pruned", async () => {
  const here = await world(() => {});
  await here.store.appendEvents([step("r", "a")]);
  await here.passes(5000);
  expect((await here.store.feed.findFollower("outbox")).version).toBeGreaterThan(0);
  await here.store.outbox.removeSubscription({ tenantId: "default", subscriptionId: "s" });
  await here.passes(3000);
  expect((await here.store.feed.findFollower("outbox")).version).toBe(0);
});

test("delays double up to a limit, and half of a delay is random", () => {
  const delays = [1, 2, 3, 4, 11, 30].map((attempts) => [eventDelay(attempts, () => 0), eventDelay(attempts, () => 1)]);
  expect(delays).toEqual([
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
    [4000, 8000],
    [300_000, 600_000],
    [300_000, 600_000],
  ]);
  expect(busDelay(30, () => 1)).toBe(60_000);
});
