import type { CatchUp, Overlap, Schedule } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { BackfillTick } from "@runledger/runtime/scheduler/backfill";
import type { TimingOptions } from "@runledger/runtime/scheduler/read-timing";

/** The operations on schedules that commands need. */
export interface ScheduleBackend {
  list(): Promise<readonly Schedule[]>;
  put(params: ScheduleParams): Promise<Schedule>;
  /** Returns the next times of a saved schedule, or of a timing that is not saved yet. */
  next(about: string | TimingOptions, params: TimesParams): Promise<Times>;
  pause(scheduleId: string): Promise<Schedule>;
  resume(scheduleId: string): Promise<Schedule>;
  remove(scheduleId: string): Promise<void>;
  backfill(scheduleId: string, range: BackfillRange): Promise<readonly BackfillTick[]>;
}

export interface ScheduleParams {
  readonly id: string;
  /** `nightly-orders` or `nightly-orders@1.4.0`. */
  readonly workflow: string;
  readonly input: unknown;
  readonly timing: TimingOptions;
  readonly catchUp?: CatchUp;
  readonly catchUpLimit?: number;
  readonly overlap?: Overlap;
  readonly jitter?: Duration;
  readonly priority?: number;
  readonly concurrencyKey?: string;
}

export interface TimesParams {
  readonly count: number;
  readonly from?: string;
}

export interface Times {
  readonly times: readonly string[];
  readonly timeZone: string | undefined;
}

export interface BackfillRange {
  readonly from: string;
  readonly to?: string;
  readonly dryRun: boolean;
}
