import { InputError, type ScheduleTiming } from "@runledger/contracts";
import { iso } from "./iso.js";
import { timesOf } from "./times.js";

/** O-31: the first time from now on; refuses what has none, with the reason. */
export function firstTime(timing: ScheduleTiming, now: number): number {
  const times = timesOf(timing);
  const first = times(now - 1);
  if (first !== null) return first;
  const earlier = times(0);
  const why =
    earlier === null ? "no date is like that" : `it is ${iso(now)}, and its times have passed, as ${iso(earlier)} has`;
  const field = "cron" in timing ? "cron" : "at";
  throw new InputError("SCHEDULE_NEVER_FIRES", field, `never fires: ${why}.`);
}
