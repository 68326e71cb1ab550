import type { ScheduleTiming } from "@runledger/client";
import { duration, zonedTime } from "../../ui/format.js";

/** `0 2 * * * in Europe/Berlin`, `every 15 m 00 s`, `once at 14 Nov 02:00 UTC` */
export function timingText({ cron, timeZone, everyMs, at }: ScheduleTiming, now: number): string {
  if (cron !== undefined) return `${cron} in ${timeZone ?? "UTC"}`;
  if (everyMs !== undefined) return `every ${duration(everyMs)}`;
  return at === undefined ? "never" : `once at ${zonedTime(at, timeZone, now)}`;
}
