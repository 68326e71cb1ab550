/**
 * One schedule that is due, in the hands of one scheduler: starts the runs of its times, as its policies say, and saves
 * when it is due next. Dies it halfway, another one finds what was started by schedule and time (Q1).
 */
import type { FullStateStore, LastTick, Schedule } from "@runledger/contracts";
import { sendAction, SignalRejectedError } from "../ledger/signals.js";
import { dueTimes } from "./due-times.js";
import { iso } from "./iso.js";
import { jitterOf } from "./jitter.js";
import { startTick } from "./start-tick.js";

/** Between looks whether the run in the way has ended: a tenth of the wait so far. */
const RECHECK = { share: 0.1, leastMs: 500, mostMs: 30_000 };

export async function fireSchedule(store: FullStateStore, schedule: Schedule, now: number): Promise<Schedule> {
  const { times, missed, next } = dueTimes(schedule, now);
  let last: LastTick | null = missed === null ? schedule.last : { tick: iso(missed), outcome: "missed" };
  for (const time of times) {
    const outcome = await decideTick(store, schedule, iso(time));
    if (outcome === null) return save(store, schedule, { ...waitingFor(time, now), last });
    last = outcome;
  }
  const dueAt = next === null ? null : iso(next + jitterOf(schedule));
  return save(store, schedule, { nextTick: next === null ? null : iso(next), dueAt, waiting: false, last });
}

function save(
  store: FullStateStore,
  schedule: Schedule,
  change: Pick<Schedule, "nextTick" | "dueAt" | "waiting" | "last">,
): Promise<Schedule> {
  return store.schedules.saveSchedule({ ...schedule, ...change }, schedule.epoch);
}

function waitingFor(time: number, now: number) {
  const { share, leastMs, mostMs } = RECHECK;
  const pause = Math.min(Math.max((now - time) * share, leastMs), mostMs);
  return { nextTick: iso(time), dueAt: iso(now + pause), waiting: true };
}

/** What becomes of a time that has come; null = it waits for an open run to end. */
async function decideTick(store: FullStateStore, schedule: Schedule, tick: string): Promise<LastTick | null> {
  const { overlap } = schedule.definition;
  const open = overlap === "allow" ? [] : await store.schedules.openTicks(schedule);
  const own = open.find((each) => each.tick === tick); // started by one who died before it could save that
  const [other] = open;
  if (own !== undefined) return { tick, outcome: "started", runId: own.runId };
  if (other === undefined) {
    const { runId } = await startTick(store, schedule, tick, schedule.epoch);
    return { tick, outcome: "started", runId };
  }
  if (overlap === "skip") return { tick, outcome: "skipped", runId: other.runId };
  if (overlap === "cancel") for (const { runId } of open) await cancel(store, schedule, runId, tick);
  return null;
}

/** However often it is said, it is one signal. */
async function cancel(store: FullStateStore, { scheduleId }: Schedule, runId: string, tick: string): Promise<void> {
  const signal = { signalId: `superseded-at-${tick}`, by: `schedule ${scheduleId}` };
  await sendAction({ store }, runId, "CANCEL", signal).catch((error: unknown) => {
    if (!(error instanceof SignalRejectedError)) throw error; // it has ended, or is being stopped
  });
}
