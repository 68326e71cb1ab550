/** Manages schedules. Every method is idempotent. */
import { DEFAULT_TENANT, InputError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { compiledOf } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow, InputOf } from "../workflow/types.js";
import { backfill, type BackfillOptions, type BackfillTick } from "./backfill.js";
import { firstTimes, timesOf } from "./cron-times.js";
import type { ScheduleOptions } from "./definition.js";
import { iso } from "./iso.js";
import { firstTime } from "./never-fires.js";
import { changeSchedule, due, nameOf, saveSchedule, type TenantOption } from "./save-schedule.js";
import { readInstant, readTiming, type TimingOptions } from "./read-timing.js";

/** The input of the schedule's runs. May be left out if the workflow needs none. */
export type InputOption<W> =
  undefined extends InputOf<W> ? { readonly input?: InputOf<W> } : { readonly input: InputOf<W> };

const MAX_COUNT = 1000;

export class LedgerSchedules {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Creates or replaces a schedule. A replaced schedule stays paused if it was, and keeps its next tick if its timing is unchanged. */
  put<W extends AnyWorkflow>(options: ScheduleOptions & { readonly workflow: W } & InputOption<W>): Promise<Schedule> {
    return saveSchedule(this.#store, compiledOf(options.workflow), options.input, options);
  }

  /** Resolves to `null` if the schedule does not exist. */
  async get(id: string, options: TenantOption = {}): Promise<Schedule | null> {
    return (await this.#store.schedules.getSchedule(nameOf(id, options))).schedule;
  }

  /** Lists schedules by id. */
  list(options: TenantOption & { readonly afterId?: string; readonly limit?: number } = {}): Promise<Schedule[]> {
    return this.#store.schedules.listSchedules({ ...options, tenantId: options.tenantId ?? DEFAULT_TENANT });
  }

  /** Deletes the schedule. Its runs are kept. */
  async remove(id: string, options: TenantOption = {}): Promise<void> {
    if (!(await this.#store.schedules.removeSchedule(nameOf(id, options)))) throw notFound(id);
  }

  /** Pauses the schedule. Ticks during the pause get no run unless you backfill them. */
  pause(id: string, options: TenantOption = {}): Promise<Schedule> {
    return changeSchedule(this.#store, nameOf(id, options), (state, now) => {
      if (state === null) throw notFound(id);
      return { ...state, pausedAt: state.pausedAt ?? iso(now), dueAt: null, waiting: false };
    });
  }

  /** Resumes a paused schedule at its next tick. */
  resume(id: string, options: TenantOption = {}): Promise<Schedule> {
    return changeSchedule(this.#store, nameOf(id, options), (state, now) => {
      if (state === null) throw notFound(id);
      if (state.pausedAt === null) return state;
      const next = timesOf(state.definition.timing)(now - 1);
      return due({ ...state, pausedAt: null, nextTick: next === null ? null : iso(next) });
    });
  }

  /** Returns the next ticks of a saved schedule or of the given timing. Throws SCHEDULE_NEVER_FIRES if there are none. */
  async next(
    what: string | TimingOptions,
    options: TenantOption & { readonly count?: number; readonly from?: string | Date } = {},
  ): Promise<string[]> {
    const { count = 5, from } = options;
    if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT)
      throw new InputError("OPTION_INVALID", "count", `must be a whole number from 1 to ${MAX_COUNT}.`);
    const timing = typeof what === "string" ? null : readTiming(what);
    const name = nameOf(typeof what === "string" ? what : "not saved yet", options); // unsaved: this call only reads the store's clock
    const { now, schedule } = await this.#store.schedules.getSchedule(name);
    const effective = timing ?? schedule?.definition.timing;
    if (effective === undefined) throw notFound(name.scheduleId);
    const first = firstTime(effective, Date.parse(from === undefined ? now : readInstant("from", from)));
    return firstTimes(timesOf(effective), { from: first, upTo: Infinity, limit: count }).map(iso);
  }

  /** Starts a run for every tick of a range that has none. With `dryRun`, only lists the ticks. */
  async backfill(id: string, options: BackfillOptions & TenantOption): Promise<BackfillTick[]> {
    const { now, schedule } = await this.#store.schedules.getSchedule(nameOf(id, options));
    if (schedule === null) throw notFound(id);
    return backfill(this.#store, schedule, now, options);
  }
}

function notFound(id: string): InputError {
  return new InputError("SCHEDULE_NOT_FOUND", "id", `there is no schedule ${id}.`);
}
