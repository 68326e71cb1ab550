/**
 * Starts the runs of schedules when they are due. Any number of schedulers may share a store: one at a time holds a due
 * schedule, and each tick has one run whichever scheduler starts it (Q1). A scheduler sleeps until the next tick by the
 * store's clock, and polls once a second for changes.
 */
import {
  StopError,
  type ClaimedSchedule,
  type FullStateStore,
  type Schedule,
  type ScheduleName,
} from "@runledger/contracts";
import { logFault } from "../telemetry/log-handlers.js";
import type { Logger } from "../telemetry/logger.js";
import { PollLoop } from "../time/poll-loop.js";
import { isUnavailable } from "../time/retry.js";
import { StoreClock } from "../time/store-clock.js";
import { realTimers, type Timers } from "../time/timers.js";
import { fireSchedule } from "./fire-schedule.js";
import { iso } from "./iso.js";

export interface SchedulerFault {
  /** Absent if the scheduler itself failed. Only its name if it cannot be read. */
  readonly schedule?: ScheduleName;
  readonly error: unknown;
}

export interface SchedulerOptions {
  /** Maximum sleep between polls. Default one second. */
  readonly pollMs?: number;
  /** How long a silent scheduler holds a schedule. Default ten seconds. */
  readonly holdMs?: number;
  /** Called when runs may have been started. */
  readonly onFired?: () => void;
  /** Receives faults. The scheduler retries the schedule a minute later. Logs them by default. */
  readonly onFault?: (fault: SchedulerFault) => void;
  readonly timers?: Timers | undefined;
}

const CLAIM = 20;
const FAULT_PAUSE_MS = 60_000;

export class Scheduler implements AsyncDisposable {
  readonly #store: FullStateStore;
  readonly #options: Required<Omit<SchedulerOptions, "timers">>;
  readonly #clock: StoreClock;
  readonly #loop: PollLoop;
  #stopping = false;

  constructor(store: FullStateStore, options: SchedulerOptions = {}) {
    const { pollMs = 1_000, holdMs = 10_000, onFired = () => {}, onFault = logSchedulerFault() } = options;
    const { timers = realTimers } = options;
    this.#store = store;
    this.#options = { pollMs, holdMs, onFired, onFault };
    this.#clock = new StoreClock(timers);
    this.#loop = new PollLoop({
      timers,
      everyMs: pollMs,
      round: () => this.#round(),
      isDone: () => this.#stopping,
      onFault: (error) => onFault({ error }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Resolves after the runs being started now are started. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#loop.notify();
    await this.#loop.finished();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Fires due schedules. Returns how long to sleep, in ms. */
  async #round(): Promise<number> {
    const { pollMs, holdMs, onFired } = this.#options;
    const { now, schedules, nextDueAt } = await this.#store.schedules.claimDue({ limit: CLAIM, holdMs });
    this.#clock.set(now);
    const dueAts = await Promise.all(schedules.map((claimed) => this.#fire(claimed, Date.parse(now))));
    if (schedules.length > 0) onFired();
    if (schedules.length === CLAIM) return 0; // more may be due
    const next = [nextDueAt, ...dueAts].filter((dueAt) => dueAt !== null).map((dueAt) => Date.parse(dueAt));
    return Math.max(1, Math.min(pollMs, Math.min(...next) - this.#clock.now()));
  }

  /**
   * Returns when the schedule is due again; `null` if never, or if another scheduler holds it. Ignores an unavailable store,
   * and a schedule that another scheduler took or a user changed. Reports any other error as a fault and postpones the
   * schedule, so that it does not fail every few seconds.
   */
  async #fire(claimed: ClaimedSchedule, now: number): Promise<string | null> {
    let schedule: Schedule | undefined;
    try {
      schedule = await this.#read(claimed);
      return schedule === undefined ? null : (await fireSchedule(this.#store, schedule, now)).dueAt;
    } catch (error) {
      if (isUnavailable(error) || isChanged(error)) return null;
      this.#options.onFault({ schedule: schedule ?? claimed, error });
      if (schedule !== undefined) await this.#postpone(schedule);
      return null;
    }
  }

  /** Returns `undefined` if the schedule was changed, removed or claimed since. */
  async #read(claimed: ClaimedSchedule): Promise<Schedule | undefined> {
    const { schedule } = await this.#store.schedules.getSchedule(claimed);
    return schedule?.epoch === claimed.epoch ? schedule : undefined;
  }

  async #postpone(schedule: Schedule): Promise<void> {
    const dueAt = iso(this.#clock.now() + FAULT_PAUSE_MS);
    await this.#store.schedules.saveSchedule({ ...schedule, dueAt }, schedule.epoch).catch(() => {}); // on failure it is due sooner
  }
}

function isChanged(error: unknown): boolean {
  return error instanceof StopError && error.code === "SCHEDULE_CHANGED";
}

/** The alert for a schedule that could not fire. */
export function scheduleFailed({ tenantId, scheduleId }: ScheduleName, error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: "SCHEDULE_FAILED" as const, message: `schedule ${scheduleId} could not fire: ${reason}`, tenantId };
}

export function logSchedulerFault(logger?: Logger): Required<SchedulerOptions>["onFault"] {
  const log = logFault("scheduler", logger);
  return ({ schedule, error }) =>
    log(error, schedule && { scheduleId: schedule.scheduleId, tenantId: schedule.tenantId });
}
