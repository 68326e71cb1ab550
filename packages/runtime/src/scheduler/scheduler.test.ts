// @module-tag O-30
/** Tests a scheduler on a virtual clock: due ticks, missed ticks, and ticks that meet open runs. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newEvent, type FullStateStore, type RunSnapshot, type Schedule } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { VirtualProcess } from "../testing/virtual-process.js";
import { VirtualTime } from "../testing/virtual-time.js";
import { workflow } from "../workflow/workflow.js";
import type { ScheduleOptions } from "./definition.js";
import { Scheduler } from "./scheduler.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = "2026-01-01T00:00:00.000Z";
const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));
const numbered = workflow("numbered", { version: "1", input: z.number() }, (w) => w.step("load", () => 1));
const orders2 = workflow("orders", { version: "2" }, (w) => w.step("load", () => 2));

class World {
  readonly time = new VirtualTime(Date.parse(BEGIN));
  readonly store: FullStateStore = new MemoryStore({ now: this.time.now });
  readonly ledger = new Ledger(this.store, async () => {});
  readonly faults: unknown[] = [];

  /** A scheduler in its own virtual process. */
  scheduler(store = this.store): VirtualProcess {
    const process = new VirtualProcess(this.time);
    const onFault = ({ error }: { readonly error: unknown }): void => void this.faults.push(error);
    new Scheduler(store, { timers: process.timers, onFault }).start();
    return process;
  }

  put(options: Partial<ScheduleOptions> = {}): Promise<Schedule> {
    const timing = options.cron === undefined && options.at === undefined ? { every: "1h" as const } : {};
    return this.ledger.schedules.put({ id: "hourly", workflow: orders, ...timing, ...options });
  }

  async pass(ms: number): Promise<void> {
    await this.time.advanceTo(this.time.now() + ms);
  }

  /** The ticks that have a run, such as `01:00`, in order. */
  async ticks(): Promise<string[]> {
    const range = { from: "2000-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };
    const ticks = await this.store.schedules.listTicks({ tenantId: "default", scheduleId: "hourly", ...range });
    return ticks.map(({ tick }) => tick.slice(11, 16));
  }

  /** In start order. */
  async runs(): Promise<RunSnapshot[]> {
    const { changes } = await this.store.feed.readChanges(await this.store.feed.openFollower("test"));
    return Promise.all(changes.map(({ runId }) => this.store.projectSnapshot(runId)));
  }

  async last(): Promise<Schedule["last"]> {
    return (await this.ledger.schedules.get("hourly"))!.last;
  }

  /** Completes the oldest open run. */
  async end(): Promise<void> {
    const [open] = await this.store.schedules.openTicks({ tenantId: "default", scheduleId: "hourly" });
    const event = newEvent({ runId: open!.runId, planVersion: "1", eventType: "RunCompleted" });
    await this.store.appendEvents([event], { ends: true });
  }
}

describe("on time", () => {
  test("each tick starts a run whose header names the schedule and tick", async () => {
    const world = new World();
    await world.put({ overlap: "allow", labels: { team: "data" }, priority: 3 });
    world.scheduler();
    await world.pass(2 * HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00", "02:00"]);
    const [head] = await world.store.listHeads();
    const { schedule, status, labels, priority, runRequestId } = await world.store.projectSnapshot(head!.runId);
    expect({ schedule, status, labels, priority, runRequestId }).toEqual({
      schedule: { scheduleId: "hourly", tick: BEGIN },
      status: "PENDING",
      labels: { team: "data" },
      priority: 3,
      runRequestId: `hourly@${BEGIN}`,
    });
  });

  test("a scheduler notices a new schedule within a second", async () => {
    const world = new World();
    world.scheduler();
    await world.pass(HOUR + 10);
    await world.put({ cron: "*/5 * * * * *" });
    await world.pass(5_000);
    expect((await world.last())?.tick).toBe("2026-01-01T01:00:05.000Z");
  });

  test("a one-off schedule fires once, even if it is put again unchanged", async () => {
    const world = new World();
    world.scheduler();
    const once = { at: "2026-01-01T00:30:00+00:00" };
    await world.put(once);
    await world.pass(24 * HOUR);
    expect(await world.ticks()).toEqual(["00:30"]);
    expect(await world.put(once)).toMatchObject({ nextTick: null, dueAt: null });
    await expect(world.put({ at: "2026-01-01T00:31:00Z" })).rejects.toMatchObject({ code: "SCHEDULE_NEVER_FIRES" });
  });

  test("a tick is not due before its jitter, although later ticks have passed", { tags: ["R-12"] }, async () => {
    const world = new World();
    const schedule = await world.put({ every: "1m", jitter: "10m", overlap: "allow" });
    const delay = Date.parse(schedule.dueAt!) - Date.parse(schedule.nextTick!);
    expect(delay).toBeGreaterThan(2 * MINUTE); // several ticks
    world.scheduler();
    await world.pass(delay + 3 * MINUTE + 500);
    const runs = await world.runs();
    const delays = await Promise.all(
      runs.map(async ({ runId, schedule: from }) => {
        const [queued] = await world.store.fetchEvents(runId);
        return Date.parse(queued!.persistedAt!) - Date.parse(from!.tick);
      }),
    );
    expect(delays).toHaveLength(4);
    for (const late of delays) expect(Math.abs(late - delay)).toBeLessThan(1000);
  });

  test("jitter delays a schedule by a constant amount, and its ticks keep their times", async () => {
    const world = new World();
    world.scheduler();
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
    for (const id of ids) await world.put({ id, jitter: "10m", overlap: "allow" });
    await world.pass(2 * HOUR + 11 * MINUTE);
    const offsets = new Set<number>();
    for (const scheduleId of ids) {
      const ticks = await world.store.schedules.listTicks({
        tenantId: "default",
        scheduleId,
        from: BEGIN,
        to: "2026-01-02T00:00:00.000Z",
      });
      const late = await Promise.all(
        ticks.map(async ({ tick, runId }) => {
          const [queued] = await world.store.fetchEvents(runId);
          return Date.parse(queued!.persistedAt!) - Date.parse(tick);
        }),
      );
      expect(ticks.map(({ tick }) => tick.slice(11, 16))).toEqual(["00:00", "01:00", "02:00"]);
      expect(new Set(late).size).toBe(1);
      expect(late[0]).toBeLessThan(10 * MINUTE);
      offsets.add(late[0]!);
    }
    expect(offsets.size).toBeGreaterThan(15);
  });

  test("pause skips ticks, resume continues from now, and both are idempotent", async () => {
    const world = new World();
    world.scheduler();
    await world.put({ overlap: "allow" });
    await world.pass(HOUR);
    await world.ledger.schedules.pause("hourly");
    const paused = await world.ledger.schedules.pause("hourly");
    expect(paused).toMatchObject({ pausedAt: "2026-01-01T01:00:00.000Z", dueAt: null });
    await world.pass(5 * HOUR);
    expect(await world.put({ overlap: "allow", labels: { a: "b" } })).toMatchObject({
      pausedAt: paused.pausedAt,
      dueAt: null,
    });
    await world.pass(30 * MINUTE);
    await world.ledger.schedules.resume("hourly");
    const resumed = await world.ledger.schedules.resume("hourly");
    expect(resumed).toMatchObject({ pausedAt: null, nextTick: "2026-01-01T07:00:00.000Z" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00", "07:00"]);
  });

  test("a removed schedule stops firing, and its ticks are not started again when it is recreated", async () => {
    const world = new World();
    world.scheduler();
    await world.put({ overlap: "allow" });
    await world.pass(HOUR);
    await world.ledger.schedules.remove("hourly");
    await expect(world.ledger.schedules.remove("hourly")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
    await world.put({ overlap: "allow" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00", "02:00"]);
  });

  test("a new version applies from the next tick, a changed timing from now on", async () => {
    const world = new World();
    world.scheduler();
    await world.put({ overlap: "allow" });
    await world.pass(90 * MINUTE);
    const options = { id: "hourly", workflow: orders2, overlap: "allow" } as const;
    expect(await world.ledger.schedules.put({ ...options, every: "1h" })).toMatchObject({
      nextTick: "2026-01-01T02:00:00.000Z",
    });
    await world.pass(30 * MINUTE);
    await world.ledger.schedules.put({ ...options, cron: "15 * * * *" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00", "02:00", "02:15"]);
    expect((await world.runs()).map(({ planVersion }) => planVersion)).toEqual(["1", "1", "2", "2"]);
  });
});

describe("catch-up after no scheduler ran", () => {
  const after = async (options: Partial<ScheduleOptions>, awayMs: number): Promise<World> => {
    const world = new World();
    await world.put({ overlap: "allow", ...options });
    await world.pass(awayMs);
    world.scheduler();
    await world.pass(1_000);
    return world;
  };

  test("none: a tick that is more than a minute late gets no run", async () => {
    const world = await after({ catchUp: "none" }, 3 * HOUR + 2 * MINUTE);
    expect(await world.ticks()).toEqual([]);
    expect(await world.last()).toEqual({ tick: "2026-01-01T03:00:00.000Z", outcome: "missed" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["04:00"]);
  });

  test("none: a tick that is less than a minute late is on time", async () => {
    expect(await (await after({ catchUp: "none" }, 3 * HOUR + 50_000)).ticks()).toEqual(["03:00"]);
  });

  test("none: the same for a schedule that cancels its open run", { tags: ["R-12"] }, async () => {
    const options = { catchUp: "none", overlap: "cancel" } as const;
    expect(await (await after(options, 3 * HOUR + 2 * MINUTE)).ticks()).toEqual([]);
    expect(await (await after(options, 3 * HOUR + 50_000)).ticks()).toEqual(["03:00"]);
  });

  test("latest: one run for all missed ticks", async () => {
    expect(await (await after({}, 3 * HOUR + 2 * MINUTE)).ticks()).toEqual(["03:00"]);
    expect(await (await after({}, 3 * HOUR + 2_000)).ticks()).toEqual(["03:00"]);
  });

  test("all: every missed tick, oldest first, up to the limit", async () => {
    expect(await (await after({ catchUp: "all" }, 2 * HOUR + 2 * MINUTE)).ticks()).toEqual(["00:00", "01:00", "02:00"]);
    const bounded = await after({ catchUp: "all", catchUpLimit: 2 }, 1000 * 24 * HOUR + 2 * MINUTE);
    expect(await bounded.ticks()).toEqual(["23:00", "00:00"]);
    expect((await bounded.runs()).map(({ schedule }) => schedule?.tick.slice(11, 16))).toEqual(["23:00", "00:00"]);
  });
});

describe("a tick that meets an open run", () => {
  const overlapping = async (options: Partial<ScheduleOptions>): Promise<World> => {
    const world = new World();
    world.scheduler();
    await world.put(options);
    await world.pass(1_000);
    return world;
  };

  test("allow: both run", async () => {
    const world = await overlapping({ overlap: "allow" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00"]);
  });

  test("skip: the tick is skipped, and the blocking run is recorded", async () => {
    const world = await overlapping({ overlap: "skip" });
    const { runId } = (await world.last())!;
    await world.pass(HOUR);
    expect(await world.last()).toEqual({ tick: "2026-01-01T01:00:00.000Z", outcome: "skipped", runId });
    await world.end();
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "02:00"]);
  });

  test("queue: each tick waits for the run before it, even past a minute, and none is lost", async () => {
    const world = await overlapping({ overlap: "queue", catchUp: "none" });
    const { runId } = (await world.last())!;
    await world.pass(2 * HOUR + 30 * MINUTE);
    expect(await world.ticks()).toEqual(["00:00"]);
    expect((await world.store.fetchEvents(runId!)).map(({ eventType }) => eventType)).toEqual(["RunQueued"]);
    expect(await world.ledger.schedules.get("hourly")).toMatchObject({ waiting: true });
    for (const expected of [
      ["00:00", "01:00"],
      ["00:00", "01:00", "02:00"],
    ]) {
      await world.end();
      await world.pass(31_000);
      expect(await world.ticks()).toEqual(expected);
    }
    await world.end();
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "01:00", "02:00", "03:00"]);
    expect(await world.ledger.schedules.get("hourly")).toMatchObject({ waiting: false });
  });

  test("cancel: the open run is cancelled once, and the latest tick starts after it", async () => {
    const world = await overlapping({ overlap: "cancel" });
    const { runId } = (await world.last())!;
    await world.pass(HOUR + 5 * MINUTE);
    const events = await world.store.fetchEvents(runId!);
    expect(events.map(({ eventType }) => eventType)).toEqual(["RunQueued", "SignalAccepted"]);
    expect(events[1]!.eventData).toMatchObject({ name: "CANCEL", by: "schedule hourly" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00"]);
    await world.end();
    await world.pass(31_000);
    expect(await world.ticks()).toEqual(["00:00", "02:00"]);
  });
});

test("cancel: a tick that waited for the cancelled run starts, even past a minute", { tags: ["R-12"] }, async () => {
  const world = new World();
  world.scheduler();
  await world.put({ overlap: "cancel", catchUp: "none" });
  await world.pass(HOUR + 5 * MINUTE);
  expect(await world.ticks()).toEqual(["00:00"]);
  await world.end();
  await world.pass(31_000);
  expect(await world.ticks()).toEqual(["00:00", "01:00"]);
});

test("resuming a schedule that is not paused changes nothing", { tags: ["R-12"] }, async () => {
  const world = new World();
  const saved = await world.put();
  await world.pass(2 * HOUR);
  expect(await world.ledger.schedules.resume("hourly")).toEqual(saved);
});

test("a change that meets another change of the schedule keeps both", { tags: ["R-12"] }, async () => {
  const world = new World();
  await world.put();
  let isFirst = true;
  const raced = interceptStore(world.store, async ({ name, proceed }) => {
    if (name === "schedules.saveSchedule" && isFirst) {
      isFirst = false;
      await world.ledger.schedules.pause("hourly");
    }
    return proceed();
  });
  const changed = { id: "hourly", workflow: orders, every: "1h", overlap: "queue" } as const;
  await new Ledger(raced, async () => {}).schedules.put(changed);
  const { definition, pausedAt } = (await world.ledger.schedules.get("hourly"))!;
  expect([definition.overlap, pausedAt]).toEqual(["queue", BEGIN]);
});

test(
  "options at their limits are saved, and a cron expression without its outer spaces",
  { tags: ["R-12"] },
  async () => {
    const world = new World();
    for (const catchUpLimit of [1, 1000])
      expect((await world.put({ catchUpLimit })).definition.catchUpLimit).toBe(catchUpLimit);
    await expect(world.put({ catchUpLimit: 1001 })).rejects.toMatchObject({ field: "catchUpLimit" });
    expect((await world.put({ cron: "  0  2 * * * " })).definition.timing).toEqual({
      cron: "0 2 * * *",
      timeZone: "UTC",
    });
    const future = new Date(world.time.now() + 1);
    const filling = world.ledger.schedules.backfill("hourly", { from: BEGIN, to: future });
    await expect(filling).rejects.toMatchObject({ code: "OPTION_INVALID", field: "to" });
  },
);

test("a full queue is retried until there is room, and the run keeps its tick", async () => {
  const world = new World();
  const none = { maxRunning: null, rate: null, priority: null };
  await world.store.limits.setLimit({ scope: "concurrencyKey", subject: "default|reports", maxQueued: 1, ...none });
  await world.put({ overlap: "allow", concurrencyKey: "reports" });
  world.scheduler();
  await world.pass(HOUR + 10 * MINUTE);
  expect(await world.ticks()).toEqual(["00:00"]);
  expect(world.faults).toEqual([]);
  await world.end();
  await world.pass(11_000);
  expect(await world.ticks()).toEqual(["00:00", "01:00"]);
});

describe("schedulers that die or are suspended", () => {
  test("after a crash between start and save, the next scheduler finds the run", async () => {
    for (const overlap of ["allow", "skip", "queue", "cancel"] as const) {
      const world = new World();
      await world.put({ overlap });
      const dying = new VirtualProcess(world.time);
      const schedules = Object.create(world.store.schedules, {
        saveSchedule: { value: () => new Promise(() => dying.kill()) },
      }) as FullStateStore["schedules"];
      const store = Object.create(world.store, { schedules: { value: schedules } }) as FullStateStore;
      new Scheduler(store, { timers: dying.timers }).start();
      await world.pass(10);
      expect([await world.ticks(), dying.hasEnded]).toEqual([["00:00"], true]);
      world.scheduler();
      await world.pass(11_000);
      expect(await world.ledger.schedules.get("hourly")).toMatchObject({
        nextTick: "2026-01-01T01:00:00.000Z",
        last: { outcome: "started" },
      });
      expect(await world.store.listHeads()).toHaveLength(1);
    }
  });

  test("a tick that started with an earlier input counts as started", { tags: ["R-07"] }, async () => {
    const world = new World();
    const withInput = (input: number) =>
      world.ledger.schedules.put({ id: "hourly", workflow: numbered, input, every: "1h", overlap: "allow" });
    await withInput(1);
    const dying = new VirtualProcess(world.time);
    const schedules = Object.create(world.store.schedules, {
      saveSchedule: { value: () => new Promise(() => dying.kill()) },
    }) as FullStateStore["schedules"];
    const store = Object.create(world.store, { schedules: { value: schedules } }) as FullStateStore;
    new Scheduler(store, { timers: dying.timers }).start();
    await world.pass(10);
    expect([await world.ticks(), dying.hasEnded]).toEqual([["00:00"], true]);
    await withInput(2);
    world.scheduler();
    await world.pass(HOUR);
    expect(world.faults).toEqual([]);
    expect(await world.ticks()).toEqual(["00:00", "01:00"]);
    const queued = await Promise.all((await world.runs()).map(({ runId }) => world.store.fetchEvents(runId)));
    expect(queued.map(([first]) => (first!.eventData as { input: number }).input)).toEqual([1, 2]);
  });

  test("a resumed scheduler starts nothing if its schedule was paused meanwhile", async () => {
    const world = new World();
    await world.put({ overlap: "skip" });
    let goOn = (): void => {};
    const schedules = Object.create(world.store.schedules, {
      openTicks: { value: async () => new Promise((resolve) => (goOn = () => resolve([]))) },
    }) as FullStateStore["schedules"];
    world.scheduler(Object.create(world.store, { schedules: { value: schedules } }) as FullStateStore);
    await world.pass(10);
    await world.ledger.schedules.pause("hourly");
    goOn();
    await world.pass(10);
    expect(await world.ticks()).toEqual([]);
    expect(world.faults).toEqual([]);
  });

  test("a schedule that keeps failing is tried once a minute", { tags: ["R-12"] }, async () => {
    const world = new World();
    await world.put({ overlap: "allow" });
    const plans = { ...world.store.plans, loadPlan: async () => null };
    world.scheduler(Object.create(world.store, { plans: { value: plans } }) as FullStateStore);
    await world.pass(5 * MINUTE + 1000);
    expect(world.faults).toHaveLength(6);
  });

  test("a failing schedule is reported, postponed, and blocks no other", async () => {
    const world = new World();
    await world.put({ overlap: "allow" });
    const broken = workflow("broken", { version: "1" }, (w) => w.step("load", () => 1));
    await world.ledger.schedules.put({ id: "broken", workflow: broken, every: "1h" });
    const loadPlan: FullStateStore["plans"]["loadPlan"] = async (ref) =>
      ref.planId === "broken" && world.faults.length === 0 ? null : world.store.plans.loadPlan(ref);
    const plans = { ...world.store.plans, loadPlan };
    world.scheduler(Object.create(world.store, { plans: { value: plans } }) as FullStateStore);
    await world.pass(10);
    expect(world.faults).toHaveLength(1);
    expect(world.faults[0]).toMatchObject({ code: "STORE_FAULT" });
    await world.pass(MINUTE - 1000); // its hold is over
    expect((await world.ledger.schedules.get("broken"))?.last).toBeNull();
    await world.pass(MINUTE + 1000);
    expect((await world.ledger.schedules.get("broken"))?.last).toMatchObject({ tick: BEGIN, outcome: "started" });
    expect(await world.ticks()).toEqual(["00:00"]);
  });
});
