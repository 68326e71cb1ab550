/** Decides which ticks of a schedule get a run now, according to its catch-up policy. */
import type { Schedule } from "@runledger/contracts";
import { jitterOf } from "./jitter.js";
import { lastTimes, timesOf } from "./cron-times.js";

/** A tick that is at most this late counts as on time under every policy, because schedulers restart. */
const GRACE_MS = 60_000;

/** A schedule has at most one tick per second. */
const MAX_ON_TIME = GRACE_MS / 1000 + 1;

export interface DueTimes {
  /** Ticks to run, ascending. */
  readonly times: readonly number[];
  /** The last tick that gets no run because no scheduler ran in time; `null` if there is none. */
  readonly missed: number | null;
  /** The first tick in the future; `null` if there is none. */
  readonly next: number | null;
}

export function dueTimes(schedule: Schedule, now: number): DueTimes {
  const times = timesOf(schedule.definition.timing);
  const from = Date.parse(schedule.nextTick!);
  const upTo = now - jitterOf(schedule);
  const due = chooseTicks(
    schedule,
    (since, limit) => lastTimes(times, { from: Math.max(from, since), upTo, limit }),
    upTo,
  );
  const [missed = null] = lastTimes(times, { from, upTo: (due[0] ?? upTo + 1) - 1, limit: 1 });
  return { times: due, missed, next: times(upTo) };
}

function chooseTicks(
  { definition, waiting }: Schedule,
  last: (since: number, limit: number) => number[],
  upTo: number,
): number[] {
  const { catchUp, catchUpLimit, overlap } = definition;
  // Each tick would cancel the run of the one before, so only the last one runs.
  if (overlap === "cancel") return last(catchUp === "none" && !waiting ? upTo - GRACE_MS : -Infinity, 1);
  if (waiting || catchUp === "all") return last(-Infinity, catchUpLimit);
  const onTime = last(upTo - GRACE_MS, MAX_ON_TIME);
  return catchUp === "none" || onTime.length > 0 ? onTime : last(-Infinity, 1);
}
