import type { CatchUp, Overlap, Schedule } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { BackfillTick } from "../../scheduler/backfill.js";
import type { TimingOptions } from "../../scheduler/read-timing.js";

/** What commands ask about schedules, whoever answers. */
export interface ScheduleDesk {
  list(): Promise<readonly Schedule[]>;
  put(order: ScheduleOrder): Promise<Schedule>;
  /** Of a schedule, or of a timing before it is saved. */
  next(about: string | TimingOptions, order: TimesOrder): Promise<Times>;
  pause(scheduleId: string): Promise<Schedule>;
  resume(scheduleId: string): Promise<Schedule>;
  remove(scheduleId: string): Promise<void>;
  backfill(scheduleId: string, range: BackfillRange): Promise<readonly BackfillTick[]>;
}

export interface ScheduleOrder {
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

export interface TimesOrder {
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
