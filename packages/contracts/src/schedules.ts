import { StopError } from "./errors/families.js";
import type { Json } from "./json.js";

/** When a schedule fires, by the clock of a place, by a fixed distance, or once. All times are ISO 8601 in UTC. */
export type ScheduleTiming =
  | { readonly cron: string; readonly timeZone: string }
  /** `from` is the first one; the others follow it at this distance. */
  | { readonly everyMs: number; readonly from: string }
  | { readonly at: string };

/** What becomes of times that passed while no scheduler was there. `all`: the last `catchUpLimit` of them. */
export const catchUpPolicies = ["none", "latest", "all"] as const;
export type CatchUp = (typeof catchUpPolicies)[number];

/**
 * What becomes of a time that comes while a run of the schedule is still open: both run, it is left out, it waits for
 * the end of the open one, or it has the open one cancelled and waits for that.
 */
export const overlapPolicies = ["allow", "skip", "queue", "cancel"] as const;
export type Overlap = (typeof overlapPolicies)[number];

/** What is started, and when. Data only: a scheduler needs no code of the workflow. */
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
  /** Fires up to this much after its times, always by the same amount, which is the schedule's own. */
  readonly jitterMs: number;
}

export interface ScheduleName {
  readonly tenantId: string;
  readonly scheduleId: string;
}

/** What became of the last time that a scheduler decided about. */
export interface LastTick {
  readonly tick: string;
  readonly outcome: "started" | "skipped" | "missed";
  /** The run that was started, or the one that was in the way. */
  readonly runId?: string;
}

export interface Schedule extends ScheduleName {
  readonly definition: ScheduleDefinition;
  /** Null = it is not paused. */
  readonly pausedAt: string | null;
  /** The time it is about next, which is part of its run's identity; null = there is none any more. */
  readonly nextTick: string | null;
  /** When a scheduler looks at it next: later than `nextTick` by the jitter, or while somebody holds it; null = never. */
  readonly dueAt: string | null;
  /** `nextTick` has come and waits for an open run to end. */
  readonly waiting: boolean;
  readonly last: LastTick | null;
  /** Another one after every claim and every change, and never the same again: who holds an old one is refused. */
  readonly epoch: number;
}

/** What a start says about the schedule that it is for. */
export interface ScheduledStart {
  readonly scheduleId: string;
  readonly tick: string;
  /** Refused with SCHEDULE_CHANGED unless the schedule still has it. Null = whoever asks, as a backfill does. */
  readonly epoch: number | null;
}

/** A time that has its run. */
export interface ScheduleTick {
  readonly tick: string;
  readonly runId: string;
}

/** Schedules, and which of their times have had their run. All times are the store's. */
export interface Schedules {
  /** With the store's time. Null = there is none of that name. */
  getSchedule(name: ScheduleName): Promise<{ readonly now: string; readonly schedule: Schedule | null }>;

  /** By id, ascending. `limit`: default 1000. */
  listSchedules(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<Schedule[]>;

  /** Writes a schedule that stands as the caller read it; null = that was not there. Throws SCHEDULE_CHANGED. */
  saveSchedule(schedule: Omit<Schedule, "epoch">, readEpoch: number | null): Promise<Schedule>;

  /** False = there was none. Times that had their run stay on record. */
  removeSchedule(name: ScheduleName): Promise<boolean>;

  /**
   * Takes schedules of any tenant that are due, each under a new epoch; they are due again after `holdMs`, unless they
   * are saved before. What others are taking at the moment is left out. `nextDueAt` is the earliest of the rest.
   */
  claimDue(params: {
    readonly limit: number;
    readonly holdMs: number;
  }): Promise<{ readonly now: string; readonly schedules: readonly Schedule[]; readonly nextDueAt: string | null }>;

  /** Times from `from` up to and without `to` that have had their run, ascending. */
  listTicks(params: ScheduleName & { readonly from: string; readonly to: string }): Promise<ScheduleTick[]>;

  /** Those of the last hundred times whose runs have not ended, ascending. */
  openTicks(name: ScheduleName): Promise<ScheduleTick[]>;
}

/** The schedule is not what the caller has read: it was changed, removed, or taken by another scheduler. */
export class ScheduleChangedError extends StopError {
  constructor(
    readonly tenantId: string,
    readonly scheduleId: string,
  ) {
    super(
      "SCHEDULE_CHANGED",
      `Schedule ${scheduleId} was changed or taken over meanwhile. Nothing was written; read it again.`,
    );
  }
}
