/** Which of a schedule's times are to have their run now: what catching up means. */
import type { Schedule } from "@runledger/contracts";
import { jitterOf } from "./jitter.js";
import { lastTimes, timesOf } from "./times.js";

/** What comes no later than this is on time, whatever the policy: schedulers are restarted. */
const GRACE_MS = 60_000;

export interface DueTimes {
  /** Ascending. */
  readonly times: readonly number[];
  /** The last one that gets no run because nobody was there in time; null = there is none. */
  readonly missed: number | null;
  /** The first one that is still to come; null = there is none. */
  readonly next: number | null;
}

export function dueTimes(schedule: Schedule, now: number): DueTimes {
  const times = timesOf(schedule.definition.timing);
  const from = Date.parse(schedule.nextTick!);
  const upTo = now - jitterOf(schedule);
  const due = chosen(schedule, (since, limit) => lastTimes(times, { from: Math.max(from, since), upTo, limit }), upTo);
  const [passedOver = null] = lastTimes(times, { from, upTo: (due[0] ?? upTo + 1) - 1, limit: 1 });
  return { times: due, missed: passedOver, next: times(upTo) };
}

function chosen(
  { definition, waiting }: Schedule,
  last: (since: number, limit: number) => number[],
  upTo: number,
): number[] {
  const { catchUp, catchUpLimit, overlap } = definition;
  // Each would cancel the one before: only the last one counts.
  if (overlap === "cancel") return last(catchUp === "none" && !waiting ? upTo - GRACE_MS : -Infinity, 1);
  if (waiting || catchUp === "all") return last(-Infinity, catchUpLimit);
  const onTime = last(upTo - GRACE_MS, Infinity);
  return catchUp === "none" || onTime.length > 0 ? onTime : last(-Infinity, 1);
}
