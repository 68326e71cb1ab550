/** What can be done with schedules. All of it may be said again: the second time changes nothing. */
import { isDeepStrictEqual } from "node:util";
import {
  DEFAULT_TENANT,
  InputError,
  ScheduleChangedError,
  type FullStateStore,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleName,
} from "@runledger/contracts";
import { publishPlan } from "../ledger/publish-plan.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { notesOf } from "../workflow/published-workflow.js";
import type { AnyWorkflow, InputOf } from "../workflow/types.js";
import { backfill, type BackfillOptions, type BackfillTick } from "./backfill.js";
import { readDefinition, type ScheduleOptions } from "./definition.js";
import { iso } from "./iso.js";
import { jitterOf } from "./jitter.js";
import { firstTime } from "./never-fires.js";
import { readInstant, readTiming, type TimingOptions } from "./read-timing.js";
import { firstTimes, timesOf } from "./times.js";

type InputOption<W> = undefined extends InputOf<W> ? { readonly input?: InputOf<W> } : { readonly input: InputOf<W> };

/** Whose schedule is meant. Default: `default`. */
export interface TenantOption {
  readonly tenantId?: string;
}

const MOST_TIMES = 1000;

type State = Omit<Schedule, "epoch">;

export class LedgerSchedules {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Makes a schedule, or changes it: what is said here is what holds. A pause stays, and so does its place in time. */
  put<W extends AnyWorkflow>(options: ScheduleOptions & { readonly workflow: W } & InputOption<W>): Promise<Schedule> {
    return this.putCompiled(compiledOf(options.workflow), options.input, options);
  }

  /** For callers who know a workflow by its plan only. */
  async putCompiled(workflow: CompiledWorkflow, input: unknown, options: ScheduleOptions): Promise<Schedule> {
    const definition = await readDefinition(workflow, input, options);
    await publishPlan(this.#store, workflow.plan, notesOf(workflow)); // a scheduler reads it back
    return this.#change(options.id, options, (state, now, name) => defined(state, name, definition, now));
  }

  /** Null = there is none. */
  async get(id: string, options: TenantOption = {}): Promise<Schedule | null> {
    return (await this.#store.schedules.getSchedule(nameOf(id, options))).schedule;
  }

  list(options: TenantOption & { readonly afterId?: string; readonly limit?: number } = {}): Promise<Schedule[]> {
    return this.#store.schedules.listSchedules({ ...options, tenantId: options.tenantId ?? DEFAULT_TENANT });
  }

  /** Its runs stay. */
  async remove(id: string, options: TenantOption = {}): Promise<void> {
    if (!(await this.#store.schedules.removeSchedule(nameOf(id, options)))) throw notFound(id);
  }

  /** Times that come meanwhile get no run; a backfill gives them one. */
  pause(id: string, options: TenantOption = {}): Promise<Schedule> {
    return this.#change(id, options, (state, now) => {
      if (state === null) throw notFound(id);
      return { ...state, pausedAt: state.pausedAt ?? iso(now), dueAt: null, waiting: false };
    });
  }

  resume(id: string, options: TenantOption = {}): Promise<Schedule> {
    return this.#change(id, options, (state, now) => {
      if (state === null) throw notFound(id);
      if (state.pausedAt === null) return state;
      const next = timesOf(state.definition.timing)(now - 1);
      return due({ ...state, pausedAt: null, nextTick: next === null ? null : iso(next) });
    });
  }

  /** The next times of a schedule, or of one that is still to be saved; refuses what never fires. */
  async next(
    what: string | TimingOptions,
    options: TenantOption & { readonly count?: number; readonly from?: string | Date } = {},
  ): Promise<string[]> {
    const { count = 5, from } = options;
    if (!Number.isInteger(count) || count < 1 || count > MOST_TIMES)
      throw new InputError("OPTION_INVALID", "count", `must be a whole number from 1 to ${MOST_TIMES}.`);
    const timing = typeof what === "string" ? null : readTiming(what);
    const name = nameOf(typeof what === "string" ? what : "not saved yet", options); // then only the time is asked for
    const { now, schedule } = await this.#store.schedules.getSchedule(name);
    const meant = timing ?? schedule?.definition.timing;
    if (meant === undefined) throw notFound(name.scheduleId);
    const first = firstTime(meant, Date.parse(from === undefined ? now : readInstant("from", from)));
    return firstTimes(timesOf(meant), { from: first, upTo: Infinity, limit: count }).map(iso);
  }

  /** Gives every time of a range that has none its run; with `dryRun`, only says which. */
  async backfill(id: string, options: BackfillOptions & TenantOption): Promise<BackfillTick[]> {
    const { now, schedule } = await this.#store.schedules.getSchedule(nameOf(id, options));
    if (schedule === null) throw notFound(id);
    return backfill(this.#store, schedule, now, options);
  }

  /** Reads, decides and writes, again where somebody else wrote in between. What changes nothing is not written. */
  async #change(
    id: string,
    options: TenantOption,
    decide: (state: Schedule | null, now: number, name: ScheduleName) => State,
  ): Promise<Schedule> {
    const name = nameOf(id, options);
    for (;;) {
      const { now, schedule } = await this.#store.schedules.getSchedule(name);
      const state = decide(schedule, Date.parse(now), name);
      if (state === schedule) return schedule;
      try {
        return await this.#store.schedules.saveSchedule(state, schedule?.epoch ?? null);
      } catch (error) {
        if (!(error instanceof ScheduleChangedError)) throw error;
      }
    }
  }
}

function defined(state: Schedule | null, name: ScheduleName, definition: ScheduleDefinition, now: number): State {
  if (state !== null && isSame(state.definition, definition)) return state;
  const isPlaced = state !== null && isSame(state.definition.timing, definition.timing);
  const nextTick = isPlaced ? state.nextTick : iso(firstTime(definition.timing, now));
  const fresh = { ...name, pausedAt: null, waiting: false, last: null, dueAt: null };
  return due({ ...(state ?? fresh), ...(isPlaced ? {} : { waiting: false }), definition, nextTick });
}

/** Due at its next time. Whoever holds it at the moment is refused from here on. */
function due(state: State): State {
  const { nextTick, pausedAt } = state;
  return {
    ...state,
    dueAt: nextTick === null || pausedAt !== null ? null : iso(Date.parse(nextTick) + jitterOf(state)),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

function nameOf(scheduleId: string, { tenantId = DEFAULT_TENANT }: TenantOption): ScheduleName {
  return { tenantId, scheduleId };
}

function notFound(id: string): InputError {
  return new InputError("SCHEDULE_NOT_FOUND", "id", `there is no schedule ${id}.`);
}
