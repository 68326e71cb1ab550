/** What a scheduler does when times come, pass and meet open runs: on a clock that is turned by hand. */
import { describe, expect, test } from "vitest";
import { newEvent, type FullStateStore, type RunSnapshot, type Schedule } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { Ledger } from "../ledger/ledger.js";
import { VirtualProcess } from "../testing/virtual-process.js";
import { VirtualTime } from "../testing/virtual-time.js";
import { workflow } from "../workflow/workflow.js";
import type { ScheduleOptions } from "./definition.js";
import { Scheduler } from "./scheduler.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = "2026-01-01T00:00:00.000Z";
const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));
const orders2 = workflow("orders", { version: "2" }, (w) => w.step("load", () => 2));

class World {
  readonly time = new VirtualTime(Date.parse(BEGIN));
  readonly store: FullStateStore = new MemoryStore({ now: this.time.now });
  readonly ledger = new Ledger(this.store, async () => {});
  readonly faults: unknown[] = [];

  /** A scheduler in a process of its own. */
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
    await this.time.passTo(this.time.now() + ms);
  }

  /** `01:00` for each time that has its run, in order. */
  async ticks(): Promise<string[]> {
    const range = { from: "2000-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };
    const ticks = await this.store.schedules.listTicks({ tenantId: "default", scheduleId: "hourly", ...range });
    return ticks.map(({ tick }) => tick.slice(11, 16));
  }

  /** In the order in which they were started. */
  async runs(): Promise<RunSnapshot[]> {
    const { changes } = await this.store.feed.readChanges(await this.store.feed.openFollower("test"));
    return Promise.all(changes.map(({ runId }) => this.store.projectSnapshot(runId)));
  }

  async last(): Promise<Schedule["last"]> {
    return (await this.ledger.schedules.get("hourly"))!.last;
  }

  /** The oldest open run ends. */
  async end(): Promise<void> {
    const [open] = await this.store.schedules.openTicks({ tenantId: "default", scheduleId: "hourly" });
    const event = newEvent({ runId: open!.runId, planVersion: "1", eventType: "RunCompleted" });
    await this.store.appendEvents([event], { ends: true });
  }
}

describe("[O-30] on time", () => {
  test("a run per time, which says its schedule and time in its header", async () => {
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

  test("a schedule that is put while the scheduler sleeps is noticed within a second", async () => {
    const world = new World();
    world.scheduler();
    await world.pass(HOUR + 10);
    await world.put({ cron: "*/5 * * * * *" });
    await world.pass(5_000);
    expect((await world.last())?.tick).toBe("2026-01-01T01:00:05.000Z");
  });

  test("one-off: once, and never again; put again as it was, it stays done", async () => {
    const world = new World();
    world.scheduler();
    const once = { at: "2026-01-01T00:30:00+00:00" };
    await world.put(once);
    await world.pass(24 * HOUR);
    expect(await world.ticks()).toEqual(["00:30"]);
    expect(await world.put(once)).toMatchObject({ nextTick: null, dueAt: null });
    await expect(world.put({ at: "2026-01-01T00:31:00Z" })).rejects.toMatchObject({ code: "SCHEDULE_NEVER_FIRES" });
  });

  test("jitter moves a schedule by an amount of its own, always the same; its times stay what they are", async () => {
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

  test("pause leaves times out, resume goes on from then, and both may be said twice", async () => {
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

  test("a removed schedule fires no more, and its times are not given away again when it comes back", async () => {
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

  test("a new version takes over at its next time, a changed timing from now on", async () => {
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

describe("[O-30] catching up after nobody was there", () => {
  const after = async (options: Partial<ScheduleOptions>, awayMs: number): Promise<World> => {
    const world = new World();
    await world.put({ overlap: "allow", ...options });
    await world.pass(awayMs);
    world.scheduler();
    await world.pass(1_000);
    return world;
  };

  test("none: what is more than a minute late gets no run", async () => {
    const world = await after({ catchUp: "none" }, 3 * HOUR + 2 * MINUTE);
    expect(await world.ticks()).toEqual([]);
    expect(await world.last()).toEqual({ tick: "2026-01-01T03:00:00.000Z", outcome: "missed" });
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["04:00"]);
  });

  test("none: what is less than a minute late is on time", async () => {
    expect(await (await after({ catchUp: "none" }, 3 * HOUR + 50_000)).ticks()).toEqual(["03:00"]);
  });

  test("latest: one run for all that was missed", async () => {
    expect(await (await after({}, 3 * HOUR + 2 * MINUTE)).ticks()).toEqual(["03:00"]);
    expect(await (await after({}, 3 * HOUR + 2_000)).ticks()).toEqual(["03:00"]);
  });

  test("all: every one of them, oldest first, up to the bound", async () => {
    expect(await (await after({ catchUp: "all" }, 2 * HOUR + 2 * MINUTE)).ticks()).toEqual(["00:00", "01:00", "02:00"]);
    const bounded = await after({ catchUp: "all", catchUpLimit: 2 }, 1000 * 24 * HOUR + 2 * MINUTE);
    expect(await bounded.ticks()).toEqual(["23:00", "00:00"]);
    expect((await bounded.runs()).map(({ schedule }) => schedule?.tick.slice(11, 16))).toEqual(["23:00", "00:00"]);
  });
});

describe("[O-30] a time that meets an open run", () => {
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

  test("skip: it is left out, and which run was in the way is on record", async () => {
    const world = await overlapping({ overlap: "skip" });
    const { runId } = (await world.last())!;
    await world.pass(HOUR);
    expect(await world.last()).toEqual({ tick: "2026-01-01T01:00:00.000Z", outcome: "skipped", runId });
    await world.end();
    await world.pass(HOUR);
    expect(await world.ticks()).toEqual(["00:00", "02:00"]);
  });

  test("queue: each waits for the one before it, also past a minute, and none is lost", async () => {
    const world = await overlapping({ overlap: "queue", catchUp: "none" });
    await world.pass(2 * HOUR + 30 * MINUTE);
    expect(await world.ticks()).toEqual(["00:00"]);
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

  test("cancel: the open one is told to stop, once, and the latest time starts when it has", async () => {
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

test("a full queue is tried again until there is room, and the run is still that of its time", async () => {
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

describe("[O-30] schedulers that die or stand still", () => {
  test("one that dies between the start and the save: the run is found, not started again nor taken for another", async () => {
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

  test("one that stood still finds that its schedule was paused meanwhile, and starts nothing", async () => {
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

  test("a schedule that cannot be started is told, put off, and keeps nobody else waiting", async () => {
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
    await world.pass(2 * MINUTE);
    expect((await world.ledger.schedules.get("broken"))?.last).toMatchObject({ tick: BEGIN, outcome: "started" });
    expect(await world.ticks()).toEqual(["00:00"]);
  });
});
