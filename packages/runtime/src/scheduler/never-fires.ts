import { InputError, type ScheduleTiming } from "@runledger/contracts";
import { iso } from "./iso.js";
import { timesOf } from "./cron-times.js";

/** Returns the first tick from now on. Throws SCHEDULE_NEVER_FIRES with the reason if there is none. */
export function firstTime(timing: ScheduleTiming, now: number): number {
  const times = timesOf(timing);
  const first = times(now - 1);
  if (first !== null) return first;
  const earlier = times(0);
  const why =
    earlier === null
      ? "no date matches"
      : `all of its times have passed (for example ${iso(earlier)}; now is ${iso(now)})`;
  const field = "cron" in timing ? "cron" : "at";
  throw new InputError("SCHEDULE_NEVER_FIRES", field, `never fires: ${why}.`);
}
