import { InputError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { iso } from "./iso.js";
import { readInstant } from "./read-timing.js";
import { startTick } from "./start-tick.js";
import { firstTimes, timesOf } from "./times.js";

export interface BackfillOptions {
  readonly from: string | Date;
  /** Exclusive; in the past. Default: now. */
  readonly to?: string | Date;
  /** Starts nothing. */
  readonly dryRun?: boolean;
  /** Who asks for the runs, for their record. Default: the schedule. */
  readonly by?: string;
}

/** A time of the range, and its run. */
export interface BackfillTick {
  readonly tick: string;
  /** Null = it has none yet, and would get one. */
  readonly runId: string | null;
  /** This call has started it. */
  readonly started: boolean;
}

const MOST_AT_ONCE = 1000;

/** Oldest first. They are in the queue at once; limits of the queue say how many run at a time. */
export async function backfill(
  store: FullStateStore,
  schedule: Schedule,
  now: string,
  { from, to = now, dryRun = false, by }: BackfillOptions,
): Promise<BackfillTick[]> {
  const range = { from: readInstant("from", from), to: readInstant("to", to) };
  if (range.to > now) throw new InputError("OPTION_INVALID", "to", `is after ${now}; what is to come has its turn.`);
  const ticks = ticksOf(schedule, range);
  const known = new Map(
    (await store.schedules.listTicks({ ...schedule, ...range })).map((each) => [each.tick, each.runId]),
  );
  const filled: BackfillTick[] = [];
  for (const tick of ticks) {
    const runId = known.get(tick) ?? null;
    filled.push(dryRun || runId !== null ? { tick, runId, started: false } : await fill(store, schedule, tick, by));
  }
  return filled;
}

function ticksOf({ definition }: Schedule, { from, to }: { readonly from: string; readonly to: string }): string[] {
  const upTo = Date.parse(to) - 1;
  const times = firstTimes(timesOf(definition.timing), { from: Date.parse(from), upTo, limit: MOST_AT_ONCE + 1 });
  if (times.length <= MOST_AT_ONCE) return times.map(iso);
  throw new InputError(
    "OPTION_INVALID",
    "to",
    `the range has more than ${MOST_AT_ONCE} times; end it at ${iso(times.at(-1)!)}.`,
  );
}

async function fill(
  store: FullStateStore,
  schedule: Schedule,
  tick: string,
  by: string | undefined,
): Promise<BackfillTick> {
  const { runId, created } = await startTick(store, schedule, tick, { epoch: null, by });
  return { tick, runId, started: created };
}
