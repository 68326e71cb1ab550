/**
 * Starts runs when their time has come. Any number of them may share a store: each due schedule is in the hands of one
 * at a time, and a time has one run whoever starts it (Q1). It sleeps until the next one is due by the store's clock,
 * and looks once a second whether that has changed.
 */
import { RetryError, StopError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { StoreClock } from "../engine/store-clock.js";
import { Bell, realTimers, type Timers } from "../time/timers.js";
import { fireSchedule } from "./fire-schedule.js";
import { iso } from "./iso.js";

export interface SchedulerFault {
  /** Absent = the scheduler itself. */
  readonly schedule?: Schedule;
  readonly error: unknown;
}

export interface SchedulerOptions {
  /** How long it sleeps at most. Default one second. */
  readonly pollMs?: number;
  /** How long a schedule stays with a scheduler that says nothing more. Default ten seconds. */
  readonly holdMs?: number;
  /** Hears when runs may have been started. */
  readonly onFired?: () => void;
  /** Hears of faults; a schedule that had one is tried again a minute later. Default: prints them. */
  readonly onFault?: (fault: SchedulerFault) => void;
  readonly timers?: Timers | undefined;
}

const CLAIM = 20;
const FAULT_PAUSE_MS = 60_000;

export class Scheduler implements AsyncDisposable {
  readonly #store: FullStateStore;
  readonly #options: Required<Omit<SchedulerOptions, "timers">>;
  readonly #clock: StoreClock;
  readonly #bell: Bell;
  #loop: Promise<void> | null = null;
  #stopping = false;

  constructor(store: FullStateStore, options: SchedulerOptions = {}) {
    const { pollMs = 1_000, holdMs = 10_000, onFired = () => {}, onFault = printFault } = options;
    const { timers = realTimers } = options;
    this.#store = store;
    this.#options = { pollMs, holdMs, onFired, onFault };
    this.#clock = new StoreClock(timers);
    this.#bell = new Bell(timers);
  }

  start(): void {
    this.#loop ??= this.#rounds();
  }

  /** Finishes what it is starting at the moment. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#bell.ring();
    await this.#loop;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #rounds(): Promise<void> {
    while (!this.#stopping) {
      const wait = await this.#unlessAway(undefined, () => this.#round());
      if (!this.#stopping) await this.#bell.rest(wait ?? this.#options.pollMs);
    }
  }

  /** How long there is nothing to do. */
  async #round(): Promise<number> {
    const { pollMs, holdMs, onFired } = this.#options;
    const { now, schedules, nextDueAt } = await this.#store.schedules.claimDue({ limit: CLAIM, holdMs });
    this.#clock.set(now);
    const dueAts = await Promise.all(schedules.map((schedule) => this.#fire(schedule, Date.parse(now))));
    if (schedules.length > 0) onFired();
    if (schedules.length === CLAIM) return 0; // there may be more
    const next = [nextDueAt, ...dueAts].filter((dueAt) => dueAt !== null).map((dueAt) => Date.parse(dueAt));
    return Math.max(1, Math.min(pollMs, Math.min(...next) - this.#clock.now()));
  }

  /** When it is due again; null = never, or somebody else knows. */
  async #fire(schedule: Schedule, now: number): Promise<string | null> {
    const fired = await this.#unlessAway(schedule, () => fireSchedule(this.#store, schedule, now));
    return fired?.dueAt ?? null;
  }

  /**
   * A store that is away comes back, and a schedule that others have taken or changed is theirs. Anything else is a
   * fault: the schedule is put off, so that it does not come back every few seconds.
   */
  async #unlessAway<T>(schedule: Schedule | undefined, action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof RetryError || isNobodysFault(error)) return undefined;
      this.#options.onFault({ ...(schedule && { schedule }), error });
      if (schedule !== undefined) await this.#putOff(schedule);
      return undefined;
    }
  }

  async #putOff(schedule: Schedule): Promise<void> {
    const dueAt = iso(this.#clock.now() + FAULT_PAUSE_MS);
    await this.#store.schedules.saveSchedule({ ...schedule, dueAt }, schedule.epoch).catch(() => {}); // then it is due sooner
  }
}

function isNobodysFault(error: unknown): boolean {
  return error instanceof StopError && (error.code === "SCHEDULE_CHANGED" || error.code === "STORE_CLOSED");
}

function printFault({ schedule, error }: SchedulerFault): void {
  console.error(
    schedule === undefined ? "A scheduler met a fault:" : `Schedule ${schedule.scheduleId} met a fault:`,
    error,
  );
}
