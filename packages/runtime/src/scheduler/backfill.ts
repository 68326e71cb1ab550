import { InputError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { iso } from "./iso.js";
import { readInstant } from "./read-timing.js";
import { startTick } from "./start-tick.js";
import { firstTimes, timesOf } from "./cron-times.js";

export interface BackfillOptions {
  readonly from: string | Date;
  /** Exclusive; in the past. Default: now. */
  readonly to?: string | Date;
  /** Starts nothing. */
  readonly dryRun?: boolean;
  /** Recorded as the starter of the runs. Default: the schedule. */
  readonly by?: string;
}

/** One tick of the range and its run. */
export interface BackfillTick {
  readonly tick: string;
  /** `null` if the tick has no run yet and a real backfill would start one. */
  readonly runId: string | null;
  /** `true` if this call started the run. */
  readonly started: boolean;
}

const MAX_TICKS = 1000;

/** Starts a run for each tick of a range, oldest first. All are queued at once; queue limits decide how many run at a time. */
export async function backfill(
  store: FullStateStore,
  schedule: Schedule,
  now: string,
  { from, to = now, dryRun = false, by }: BackfillOptions,
): Promise<BackfillTick[]> {
  const range = { from: readInstant("from", from), to: readInstant("to", to) };
  if (range.to > now) throw new InputError("OPTION_INVALID", "to", `is after ${now}; future ticks start on their own.`);
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
  const times = firstTimes(timesOf(definition.timing), { from: Date.parse(from), upTo, limit: MAX_TICKS + 1 });
  if (times.length <= MAX_TICKS) return times.map(iso);
  throw new InputError(
    "OPTION_INVALID",
    "to",
    `the range has more than ${MAX_TICKS} ticks; end it at ${iso(times.at(-1)!)}.`,
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
