/** Faults in schedules, one per mutation. */
import type { RunQueue, Schedule, Schedules } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const schedules = (change: (real: Schedules) => Partial<Schedules>): Mutation => ({
  store: (real) => ({ schedules: overlay(real.schedules!, change(real.schedules!)) }),
});

const starts = (change: (real: RunQueue) => RunQueue["startRun"]): Mutation => ({
  store: (real) => ({ queue: overlay(real.queue!, { startRun: change(real.queue!) }) }),
});

/** Returns the current epoch, regardless of the one the caller has read. */
async function currentEpoch(real: Schedules, name: Schedule | Omit<Schedule, "epoch">): Promise<number | null> {
  return (await real.getSchedule(name)).schedule?.epoch ?? null;
}

export const scheduleMutations: Readonly<Record<string, () => Mutation>> = {
  "the input of a schedule is lost": () =>
    schedules((real) => ({
      saveSchedule: ({ definition: { input, ...definition }, ...rest }, epoch) =>
        real.saveSchedule({ ...rest, definition }, epoch),
    })),
  "tenants share schedules": () =>
    schedules((real) => ({
      getSchedule: (name) => real.getSchedule({ ...name, tenantId: "acme" }),
      removeSchedule: (name) => real.removeSchedule({ ...name, tenantId: "acme" }),
    })),
  "pages of schedules ignore their start": () =>
    schedules((real) => ({ listSchedules: ({ tenantId }) => real.listSchedules({ tenantId }) })),
  "the last schedule wins": () =>
    schedules((real) => ({
      saveSchedule: async (schedule) => real.saveSchedule(schedule, await currentEpoch(real, schedule)),
    })),
  "a schedule's epoch comes again": () => {
    const first = new Map<string, number>();
    return schedules((real) => ({
      saveSchedule: async (schedule, readEpoch) => {
        const current = readEpoch === null ? null : await currentEpoch(real, schedule);
        const saved = await real.saveSchedule(schedule, current);
        const epoch = first.get(saved.scheduleId) ?? saved.epoch;
        first.set(saved.scheduleId, epoch);
        return { ...saved, epoch };
      },
    }));
  },
  "claimed schedules are not held": () =>
    schedules((real) => ({
      claimDue: async ({ limit }) => {
        const claimed = await real.claimDue({ limit, holdMs: 1 });
        await new Promise((resolve) => setTimeout(resolve, 5));
        return claimed;
      },
    })),
  "claimed schedules are never due again": () =>
    schedules((real) => ({ claimDue: ({ limit }) => real.claimDue({ limit, holdMs: 1e12 }) })),
  "a time is not unique": () =>
    starts(
      (real) =>
        ({ tick, ...start }) =>
          real.startRun({ ...start, ...(tick && { tick: { ...tick, scheduleId: start.event.runId } }) }),
    ),
  "a time is the same in every schedule": () =>
    starts(
      (real) =>
        ({ tick, ...start }) =>
          real.startRun({ ...start, ...(tick && { tick: { ...tick, scheduleId: "nightly" } }) }),
    ),
  "a finished run stays open": () => {
    const all = new Map<string, { tick: string; runId: string }>();
    return schedules((real) => ({
      openTicks: async (name) => {
        for (const open of await real.openTicks(name)) all.set(open.runId, open);
        return [...all.values()];
      },
    }));
  },
  "only the last hundred runs can be open": () =>
    schedules((real) => ({
      openTicks: async (name) => {
        const ticks = await real.listTicks({
          ...name,
          from: "2000-01-01T00:00:00.000Z",
          to: "2999-01-01T00:00:00.000Z",
        });
        const last = new Set(ticks.slice(-100).map(({ runId }) => runId));
        return (await real.openTicks(name)).filter(({ runId }) => last.has(runId));
      },
    })),
  "any name is a schedule's": () =>
    schedules((real) => ({
      removeSchedule: (name) => real.removeSchedule({ ...name, scheduleId: name.scheduleId.replace("|", "") }),
    })),
};
