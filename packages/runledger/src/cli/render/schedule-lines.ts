import type { Schedule, ScheduleTiming } from "@runledger/contracts";
import { duration } from "./format.js";
import { paint } from "./terminal.js";

/** A schedule as the API returns it: without the parts that only schedulers use. */
export function scheduleJson({ epoch: _, tenantId: __, definition, ...schedule }: Schedule): object {
  const { planId, planVersion } = definition.plan;
  return { ...schedule, definition: { ...definition, plan: { planId, planVersion } } };
}

/** Formats a schedule on two lines: its definition, then its next and last times. */
export function scheduleLines({ scheduleId, definition, pausedAt, nextTick, waiting, last }: Schedule): string[] {
  const { plan, timing, overlap, catchUp } = definition;
  const zone = "cron" in timing ? timing.timeZone : undefined;
  const upcoming = nextTick === null ? "done" : `next ${timeLine(nextTick, zone)}${waiting ? ", waiting" : ""}`;
  const state = pausedAt === null ? upcoming : paint("yellow", `paused since ${pausedAt}`);
  const before = last === null ? "" : `   last ${last.tick} ${last.outcome}${runOf(last)}`;
  return [
    `${paint("bold", scheduleId)}   ${plan.planId} ${plan.planVersion}   ${timingText(timing)}   overlap ${overlap}, catch-up ${catchUp}`,
    `  ${state}${paint("dim", before)}`,
  ];
}

function runOf({ outcome, runId }: NonNullable<Schedule["last"]>): string {
  if (runId === undefined) return "";
  return outcome === "started" ? ` ${runId}` : ` because of ${runId}`;
}

function timingText(timing: ScheduleTiming): string {
  if ("cron" in timing) return `${timing.cron} ${timing.timeZone}`;
  return "at" in timing ? `at ${timing.at}` : `every ${duration(timing.everyMs)}`;
}

/** Formats the time in UTC and in the schedule's time zone. */
export function timeLine(time: string, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === "UTC") return time;
  const shown = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    new Date(time),
  );
  return `${time}   ${shown} ${timeZone}`;
}
