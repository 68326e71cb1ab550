import {
  ScheduleChangedError,
  type Schedule,
  type ScheduledStart,
  type ScheduleName,
  type Schedules,
  type ScheduleTick,
} from "@runledger/contracts";
import type { Tables } from "./tables.js";

export interface ScheduleTables {
  /** By tenant and id. */
  readonly rows: Map<string, Schedule>;
  /** By tenant and id, then by time: the run. */
  readonly ticks: Map<string, Map<string, string>>;
  lastEpoch: number;
}

export function emptySchedules(): ScheduleTables {
  return { rows: new Map(), ticks: new Map(), lastEpoch: 0 };
}

const keyOf = ({ tenantId, scheduleId }: ScheduleName): string => JSON.stringify([tenantId, scheduleId]);
const iso = (ms: number): string => new Date(ms).toISOString();
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

export function schedules(tables: Tables): Schedules {
  const { rows } = tables.schedules;
  return {
    getSchedule: async (name) => ({ now: iso(tables.now()), schedule: rows.get(keyOf(name)) ?? null }),
    listSchedules: async ({ tenantId, afterId = "", limit = 1000 }) => {
      const own = [...rows.values()].filter((row) => row.tenantId === tenantId && row.scheduleId > afterId);
      return own.sort((a, b) => byText(a.scheduleId, b.scheduleId)).slice(0, limit);
    },
    saveSchedule: async (schedule, readEpoch) => {
      if ((rows.get(keyOf(schedule))?.epoch ?? null) !== readEpoch)
        throw new ScheduleChangedError(schedule.tenantId, schedule.scheduleId);
      return put(tables, schedule);
    },
    removeSchedule: async (name) => rows.delete(keyOf(name)),
    claimDue: async ({ limit, holdMs }) => claimDue(tables, limit, holdMs),
    listTicks: async ({ from, to, ...name }) => ticksOf(tables, name).filter(({ tick }) => tick >= from && tick < to),
    openTicks: async (name) => ticksOf(tables, name).filter(({ runId }) => tables.queue.has(runId)),
  };
}

/** Stores a copy, so that later changes by the caller have no effect. */
function put({ schedules: { rows }, schedules: tables }: Tables, schedule: Omit<Schedule, "epoch">): Schedule {
  const row = { ...structuredClone(schedule), epoch: ++tables.lastEpoch };
  rows.set(keyOf(schedule), row);
  return row;
}

function claimDue(tables: Tables, limit: number, holdMs: number) {
  const now = iso(tables.now());
  const set = [...tables.schedules.rows.values()].filter(({ dueAt }) => dueAt !== null);
  set.sort((a, b) => byText(a.dueAt!, b.dueAt!));
  const due = set.filter(({ dueAt }) => dueAt! <= now).slice(0, limit);
  const claimed = due
    .map((row) => put(tables, { ...row, dueAt: iso(tables.now() + holdMs) }))
    .map(({ tenantId, scheduleId, epoch }) => ({ tenantId, scheduleId, epoch }));
  return { now, schedules: claimed, nextDueAt: set.find(({ dueAt }) => dueAt! > now)?.dueAt ?? null };
}

function ticksOf(tables: Tables, name: ScheduleName): ScheduleTick[] {
  const ticks = [...(tables.schedules.ticks.get(keyOf(name)) ?? [])].map(([tick, runId]) => ({ tick, runId }));
  return ticks.sort((a, b) => byText(a.tick, b.tick));
}

/** Returns `null` if this run got the time, or else the run that already has it. */
export function takeTick(tables: Tables, tick: ScheduledStart & ScheduleName, runId: string): string | null {
  const key = keyOf(tick);
  const { rows, ticks } = tables.schedules;
  if (tick.epoch !== null && rows.get(key)?.epoch !== tick.epoch)
    throw new ScheduleChangedError(tick.tenantId, tick.scheduleId);
  const taken = ticks.get(key) ?? new Map<string, string>();
  const earlier = taken.get(tick.tick);
  if (earlier !== undefined) return earlier;
  ticks.set(key, taken.set(tick.tick, runId));
  return null;
}
