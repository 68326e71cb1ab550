/**
 * Fires one due schedule that this scheduler holds: decides its next tick by its policies and saves when it is due again
 * (now, if more ticks are due). If the scheduler dies halfway, the next one finds the started run by schedule and tick
 * (Q1) and repeats at most that tick.
 */
import type { FullStateStore, LastTick, Schedule } from "@runledger/contracts";
import { sendAction, SignalRejectedError } from "../runs/signals.js";
import { dueTimes } from "./due-times.js";
import { iso } from "./iso.js";
import { jitterOf } from "./jitter.js";
import { startTick } from "./start-tick.js";

/** Poll interval while an open run blocks a tick: a tenth of the wait so far, within bounds. */
const RECHECK = { share: 0.1, leastMs: 500, mostMs: 30_000 };

export async function fireSchedule(store: FullStateStore, schedule: Schedule, now: number): Promise<Schedule> {
  const { times, missed, next } = dueTimes(schedule, now);
  const [time, following] = times;
  const last: LastTick | null = missed === null ? schedule.last : { tick: iso(missed), outcome: "missed" };
  const outcome = time === undefined ? last : await decideTick(store, schedule, iso(time));
  if (time !== undefined && outcome === null) return save(store, schedule, { ...waitingFor(time, now), last });
  const nextTick = following ?? next;
  const waiting = schedule.waiting && following !== undefined;
  const dueAt = nextTick === null ? null : iso(Math.max(now, nextTick + jitterOf(schedule)));
  return save(store, schedule, { nextTick: nextTick === null ? null : iso(nextTick), dueAt, waiting, last: outcome });
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

/** Decides one tick. Returns `null` if it waits for an open run to finish. */
async function decideTick(store: FullStateStore, schedule: Schedule, tick: string): Promise<LastTick | null> {
  const { overlap } = schedule.definition;
  const open = overlap === "allow" ? [] : await store.schedules.openTicks(schedule);
  const own = open.find((each) => each.tick === tick); // started by a scheduler that died before it saved this
  const [other] = open;
  if (own !== undefined) return { tick, outcome: "started", runId: own.runId };
  if (other === undefined) {
    const { runId } = await startTick(store, schedule, tick, schedule);
    return { tick, outcome: "started", runId };
  }
  if (overlap === "skip") return { tick, outcome: "skipped", runId: other.runId };
  if (overlap === "cancel") for (const { runId } of open) await cancel(store, schedule, runId, tick);
  return null;
}

/** Cancels a run. The signal id depends on the tick, so repeated calls send one signal. */
async function cancel(store: FullStateStore, { scheduleId }: Schedule, runId: string, tick: string): Promise<void> {
  const signal = { signalId: `superseded-at-${tick}`, by: `schedule ${scheduleId}` };
  await sendAction({ store }, runId, "CANCEL", signal).catch((error: unknown) => {
    if (!(error instanceof SignalRejectedError)) throw error; // the run already finished or is being cancelled
  });
}
