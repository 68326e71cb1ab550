import type { Schedule, ScheduleTiming } from "@runledger/contracts";
import { duration } from "./format.js";
import { paint } from "./terminal.js";

/** A schedule on two lines: what it is, then what it does next and did last. */
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

/** The time in UTC, and what the clock of the place shows then. */
export function timeLine(time: string, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === "UTC") return time;
  const shown = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    new Date(time),
  );
  return `${time}   ${shown} ${timeZone}`;
}
