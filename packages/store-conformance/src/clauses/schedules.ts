import assert from "node:assert/strict";
import type { RunStart, Schedule, ScheduleDefinition, ScheduleName, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";

const TICK = "2026-03-29T01:00:00.000Z";
const PAST = "2026-01-01T00:00:00.000Z";
const FUTURE = "2999-01-01T00:00:00.000Z";
const NAME = { tenantId: "acme", scheduleId: "nightly" };

const definition: ScheduleDefinition = {
  timing: { cron: "0 2 * * *", timeZone: "Europe/Berlin" },
  plan: { planId: "orders", planVersion: "1", hash: "a" },
  input: { "a key": [1, null, "é"] },
  projectId: "default",
  environmentId: "default",
  priority: 0,
  concurrencyKey: "orders",
  catchUp: "latest",
  catchUpLimit: 100,
  overlap: "skip",
  jitterMs: 0,
};

function scheduleOf(parts: Partial<Schedule> = {}): Omit<Schedule, "epoch"> {
  const rest = { definition, pausedAt: null, nextTick: TICK, dueAt: FUTURE, waiting: false, last: null };
  return { ...NAME, ...rest, ...parts };
}

/** The start of a run for a scheduled time, with this version of the workflow. */
function startOf(runId: string, epoch: number | null, { tick = TICK, version = "1" } = {}): RunStart {
  return {
    event: eventOf(runId, "RunQueued", { planId: "orders", planVersion: version }),
    tenantId: NAME.tenantId,
    startKey: `${version} ${tick}`,
    inputHash: "none",
    logFormat: 1,
    priority: 0,
    tick: { scheduleId: NAME.scheduleId, tick, epoch },
  };
}

const ids = (schedules: readonly ScheduleName[]): string[] => schedules.map(({ scheduleId }) => scheduleId);
type WithSchedules = Required<Pick<StateStore, "schedules">>;
const due = ({ schedules }: WithSchedules, limit = 10) => schedules.claimDue({ limit, holdMs: 60_000 });

/** Q1: a scheduled time has one run, regardless of who starts it and of the version. */
export const schedules = clause("schedules", ["schedules", "queue"], {
  "a schedule is read back as it was saved, with the store's time": async ({ store, another }) => {
    const last = { tick: PAST, outcome: "started", runId: "run-1" } as const;
    const saved = await store.schedules.saveSchedule(scheduleOf({ pausedAt: PAST, dueAt: null, last }), null);
    const { now, schedule } = await (await another()).schedules!.getSchedule(NAME);
    assert.deepEqual(schedule, saved);
    assert.deepEqual(schedule, { ...scheduleOf({ pausedAt: PAST, dueAt: null, last }), epoch: saved.epoch });
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < 3_600_000, now);
  },

  "another tenant's schedule of the same name is another one": async ({ store }) => {
    await store.schedules.saveSchedule(scheduleOf(), null);
    const other = { ...NAME, tenantId: "other" };
    assert.equal((await store.schedules.getSchedule(other)).schedule, null);
    assert.equal(await store.schedules.removeSchedule(other), false);
    assert.deepEqual(await store.schedules.listSchedules({ tenantId: "other" }), []);
    await store.schedules.saveSchedule(scheduleOf({ tenantId: "other" }), null);
    assert.equal(await store.schedules.removeSchedule(NAME), true);
    assert.deepEqual(ids(await store.schedules.listSchedules({ tenantId: "other" })), ["nightly"]);
  },

  "schedules are listed by id, page by page": async ({ store }) => {
    for (const scheduleId of ["b", "B", "a", "c"]) {
      await store.schedules.saveSchedule(scheduleOf({ scheduleId }), null);
    }
    assert.deepEqual(ids(await store.schedules.listSchedules({ tenantId: "acme" })), ["B", "a", "b", "c"]);
    const page = await store.schedules.listSchedules({ tenantId: "acme", afterId: "B", limit: 2 });
    assert.deepEqual(ids(page), ["a", "b"]);
  },

  "a writer with an older epoch writes nothing": async ({ store }) => {
    const first = await store.schedules.saveSchedule(scheduleOf(), null);
    await refused(store.schedules.saveSchedule(scheduleOf({ nextTick: null }), null), "SCHEDULE_CHANGED");
    const second = await store.schedules.saveSchedule(scheduleOf({ pausedAt: PAST }), first.epoch);
    await refused(store.schedules.saveSchedule(scheduleOf({ nextTick: null }), first.epoch), "SCHEDULE_CHANGED");
    assert.deepEqual((await store.schedules.getSchedule(NAME)).schedule, second);
  },

  "an epoch never comes again, not even after the schedule was removed": async ({ store }) => {
    const first = await store.schedules.saveSchedule(scheduleOf(), null);
    await store.schedules.removeSchedule(NAME);
    await store.schedules.saveSchedule(scheduleOf(), null);
    await refused(store.schedules.saveSchedule(scheduleOf({ pausedAt: PAST }), first.epoch), "SCHEDULE_CHANGED");
    await refused(store.queue.startRun(startOf("run-1", first.epoch)), "SCHEDULE_CHANGED");
  },

  "due schedules are claimed once, in order, with the earliest due time of the others": async ({ store, another }) => {
    const dueAts = { late: "2026-01-02T00:00:00.000Z", later: FUTURE, early: PAST, never: null };
    for (const [scheduleId, dueAt] of Object.entries(dueAts))
      await store.schedules.saveSchedule(scheduleOf({ scheduleId, dueAt }), null);
    const first = await due(store, 1);
    assert.deepEqual(ids(first.schedules), ["early"]);
    const [one, two] = await Promise.all([due(store), due({ schedules: (await another()).schedules! })]);
    assert.deepEqual([...ids(one.schedules), ...ids(two.schedules)], ["late"]);
    const none = await due(store);
    assert.deepEqual([none.schedules.length, (await due(store)).schedules.length], [0, 0]);
    assert.ok(none.nextDueAt !== null && none.nextDueAt > none.now && none.nextDueAt < FUTURE, "held ones come back");
  },

  "a schedule that is not saved after its claim is due again, under another epoch": async ({ store }) => {
    await store.schedules.saveSchedule(scheduleOf({ dueAt: PAST }), null);
    const [lost] = (await store.schedules.claimDue({ limit: 1, holdMs: 1 })).schedules;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [found] = (await due(store)).schedules;
    assert.notEqual(found?.epoch, lost?.epoch);
    await refused(store.schedules.saveSchedule(scheduleOf({ nextTick: null }), lost!.epoch), "SCHEDULE_CHANGED");
    assert.equal((await store.schedules.getSchedule(NAME)).schedule?.epoch, found?.epoch);
    await refused(store.queue.startRun(startOf("run-1", lost!.epoch)), "SCHEDULE_CHANGED");
    assert.deepEqual(await logOf(store, "run-1"), []);
    assert.equal((await store.queue.startRun(startOf("run-2", found!.epoch))).created, true);
  },

  "Q1: a time starts one run, regardless of the version and the number of callers": async ({ store, another }) => {
    const handles = [store, (await another()) as typeof store];
    const starts = Array.from({ length: 8 }, (_, index) =>
      handles[index % 2]!.queue.startRun(startOf(`run-${index}`, null, { version: String(index % 4) })),
    );
    const answers = await Promise.all(starts);
    const [created, ...more] = answers.filter((answer) => answer.created);
    assert.deepEqual(more, []);
    assert.deepEqual(new Set(answers.map(({ runId }) => runId)), new Set([created?.runId]));
    assert.deepEqual(runIds(await store.listHeads()), [created?.runId]);
    const wide = { ...NAME, from: PAST, to: FUTURE };
    assert.deepEqual(await store.schedules.listTicks(wide), [{ tick: TICK, runId: created!.runId }]);
  },

  "Q1: another time, another schedule and another tenant have runs of their own": async ({ store }) => {
    const starts: RunStart[] = [
      startOf("run-1", null),
      startOf("run-2", null, { tick: PAST }),
      { ...startOf("run-3", null), startKey: "3", tick: { scheduleId: "other", tick: TICK, epoch: null } },
      { ...startOf("run-4", null), startKey: "4", tenantId: "other" },
    ];
    for (const start of starts) assert.equal((await store.queue.startRun(start)).created, true);
    assert.deepEqual(
      await store.schedules.listTicks({ ...NAME, from: PAST, to: FUTURE }),
      [
        { tick: PAST, runId: "run-2" },
        { tick: TICK, runId: "run-1" },
      ],
      "ascending",
    );
    assert.deepEqual(await store.schedules.listTicks({ ...NAME, from: PAST, to: TICK }), [
      { tick: PAST, runId: "run-2" },
    ]);
  },

  "runs are open until they finish": async ({ store }) => {
    await store.queue.startRun(startOf("run-1", null));
    await store.queue.startRun(startOf("run-2", null, { tick: PAST }));
    const open = [
      { tick: PAST, runId: "run-2" },
      { tick: TICK, runId: "run-1" },
    ];
    assert.deepEqual(await store.schedules.openTicks(NAME), open);
    await store.appendEvents([eventOf("run-2", "RunCompleted")], { ends: true });
    assert.deepEqual(await store.schedules.openTicks(NAME), open.slice(1));
  },

  "a run is open no matter how many times came after it": async ({ store }) => {
    const day = (n: number): string => new Date(Date.parse(PAST) + n * 86_400_000).toISOString();
    const started = Array.from({ length: 102 }, (_, n) => `run-${n}`);
    await Promise.all(started.map((runId, n) => store.queue.startRun(startOf(runId, null, { tick: day(n) }))));
    const later = started.slice(1);
    await Promise.all(later.map((runId) => store.appendEvents([eventOf(runId, "RunCompleted")], { ends: true })));
    assert.deepEqual(await store.schedules.openTicks(NAME), [{ tick: day(0), runId: "run-0" }]);
  },

  "names are checked before anything is sent": async ({ store }) => {
    const bad = { tenantId: "acme", scheduleId: "a|b" };
    const { schedules: port } = store;
    await refusedInput(port.saveSchedule(scheduleOf(bad), null), "IDENTIFIER_INVALID", "scheduleId");
    await refusedInput(port.getSchedule({ ...bad, tenantId: "" }), "IDENTIFIER_INVALID", "tenantId");
    await refusedInput(port.removeSchedule(bad), "IDENTIFIER_INVALID", "scheduleId");
    await refusedInput(port.openTicks(bad), "IDENTIFIER_INVALID", "scheduleId");
    await refusedInput(port.listTicks({ ...bad, from: PAST, to: TICK }), "IDENTIFIER_INVALID", "scheduleId");
    await refusedInput(port.listSchedules({ tenantId: "acme", limit: 0 }), "OPTION_INVALID", "limit");
    await refusedInput(port.claimDue({ limit: 0, holdMs: 1 }), "OPTION_INVALID", "limit");
  },
});

function runIds(heads: readonly { readonly runId: string }[]): string[] {
  return heads.map(({ runId }) => runId);
}
