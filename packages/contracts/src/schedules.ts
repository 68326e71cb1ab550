import { StopError } from "./errors/families.js";
import type { Json } from "./json.js";

/**
 * The times at which a schedule fires: by cron in a time zone, at a fixed interval, or once. All times are ISO 8601 in
 * UTC.
 */
export type ScheduleTiming =
  | { readonly cron: string; readonly timeZone: string }
  /** `from` is the first time; the others follow at this interval. */
  | { readonly everyMs: number; readonly from: string }
  | { readonly at: string };

/** Handling of times that passed while no scheduler was running. `all` starts the last `catchUpLimit` of them. */
export const catchUpPolicies = ["none", "latest", "all"] as const;
export type CatchUp = (typeof catchUpPolicies)[number];

/**
 * Handling of a time that arrives while a run of the schedule is still unfinished. `allow` starts a second run, `skip`
 * starts none, `queue` waits until the unfinished run finishes, and `cancel` cancels that run and then waits.
 */
export const overlapPolicies = ["allow", "skip", "queue", "cancel"] as const;
export type Overlap = (typeof overlapPolicies)[number];

/** The run to start and its times. Data only: a scheduler needs no code of the workflow. */
export interface ScheduleDefinition {
  readonly timing: ScheduleTiming;
  readonly plan: { readonly planId: string; readonly planVersion: string; readonly hash: string };
  readonly input?: Json;
  /** The user's state before the first patch (D2). */
  readonly state?: Json;
  readonly projectId: string;
  readonly environmentId: string;
  readonly priority: number;
  readonly concurrencyKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly catchUp: CatchUp;
  readonly catchUpLimit: number;
  readonly overlap: Overlap;
  /** Maximum delay after each time. The actual delay is constant for a schedule. */
  readonly jitterMs: number;
}

export interface ScheduleName {
  readonly tenantId: string;
  readonly scheduleId: string;
}

/** The outcome of the last time that a scheduler handled. */
export interface LastTick {
  readonly tick: string;
  readonly outcome: "started" | "skipped" | "missed";
  /** The run that was started, or the one that prevented the start. */
  readonly runId?: string;
}

export interface Schedule extends ScheduleName {
  readonly definition: ScheduleDefinition;
  /** `null` if the schedule is not paused. */
  readonly pausedAt: string | null;
  /** The next time that gets a run. It is part of the run's identity. `null` if the schedule has no further times. */
  readonly nextTick: string | null;
  /**
   * The time when a scheduler next looks at the schedule: after `nextTick` by the jitter, or later while a scheduler
   * holds it. `null` if never.
   */
  readonly dueAt: string | null;
  /** `true` if `nextTick` has passed and waits for an unfinished run. */
  readonly waiting: boolean;
  readonly last: LastTick | null;
  /** Changes with every claim and every save, and never repeats. The store refuses a writer with an older epoch. */
  readonly epoch: number;
}

/** A schedule that a scheduler holds. Read it, and check that it still has this epoch. */
export interface ClaimedSchedule extends ScheduleName {
  readonly epoch: number;
}

/** The schedule and time that a run is started for. */
export interface ScheduledStart {
  readonly scheduleId: string;
  readonly tick: string;
  /**
   * Refused with SCHEDULE_CHANGED unless the schedule still has this epoch. `null` skips the check, as for a backfill.
   */
  readonly epoch: number | null;
}

/** A scheduled time and its run. */
export interface ScheduleTick {
  readonly tick: string;
  readonly runId: string;
}

/** Schedules, and the runs of their times. All times come from the store's clock. */
export interface Schedules {
  /** Returns the schedule with the store's current time. `schedule` is `null` if there is none with this name. */
  getSchedule(name: ScheduleName): Promise<{ readonly now: string; readonly schedule: Schedule | null }>;

  /** Lists schedules by id, ascending. `limit` defaults to 1000. */
  listSchedules(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<Schedule[]>;

  /** Saves a schedule if it still has `readEpoch` (`null`: if it does not exist). Throws SCHEDULE_CHANGED otherwise. */
  saveSchedule(schedule: Omit<Schedule, "epoch">, readEpoch: number | null): Promise<Schedule>;

  /** Returns `false` if there was no such schedule. The record of past times and their runs is kept. */
  removeSchedule(name: ScheduleName): Promise<boolean>;

  /**
   * Claims due schedules of any tenant, each under a new epoch. They are due again after `holdMs` unless they are saved
   * before. Skips schedules that another scheduler is claiming. `nextDueAt` is the earliest due time of the others. Returns
   * names and epochs only: a caller that stalls while it receives large definitions would keep the schedules locked.
   */
  claimDue(params: { readonly limit: number; readonly holdMs: number }): Promise<{
    readonly now: string;
    readonly schedules: readonly ClaimedSchedule[];
    readonly nextDueAt: string | null;
  }>;

  /** Lists the times from `from` (inclusive) to `to` (exclusive) that have a run, ascending. */
  listTicks(params: ScheduleName & { readonly from: string; readonly to: string }): Promise<ScheduleTick[]>;

  /** Lists the times whose runs are unfinished, ascending. */
  openTicks(name: ScheduleName): Promise<ScheduleTick[]>;
}

/** The schedule was changed, removed or claimed by another scheduler since the caller read it. */
export class ScheduleChangedError extends StopError {
  constructor(
    readonly tenantId: string,
    readonly scheduleId: string,
  ) {
    super(
      "SCHEDULE_CHANGED",
      `Schedule ${scheduleId} was changed, removed or claimed by another scheduler. Nothing was written. Read it again and retry.`,
    );
  }
}
