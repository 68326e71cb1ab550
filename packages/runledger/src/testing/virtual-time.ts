import type { Timers } from "../time/timers.js";

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/**
 * Time that passes only when it is told to. Between two alarms everything that can happen without time passing does
 * happen, in an order that is the same in every run.
 */
export class VirtualTime implements Timers {
  #now: number;
  /** Ascending by time; those of one time in the order in which they were set. */
  readonly #alarms: Alarm[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const alarm = { at: this.#now + Math.max(0, ms), run };
    this.#alarms.splice(this.#placeOf(alarm.at), 0, alarm);
    return () => {
      const place = this.#alarms.indexOf(alarm);
      if (place >= 0) this.#alarms.splice(place, 1);
    };
  };

  /** When the next alarm rings; null = there is none. */
  get next(): number | null {
    return this.#alarms[0]?.at ?? null;
  }

  /** Everything that can happen now, happens. */
  async settle(): Promise<void> {
    await this.passTo(this.#now);
  }

  /** Lets time pass, alarm by alarm. */
  async passTo(time: number): Promise<void> {
    await quiet();
    while (this.#alarms.length > 0 && this.#alarms[0]!.at <= time) await this.ringNext();
    this.#now = Math.max(this.#now, time);
  }

  /** Lets time pass to the next alarm, and everything happen that it leads to. */
  async ringNext(): Promise<void> {
    const alarm = this.#alarms.shift();
    if (alarm === undefined) return;
    this.#now = Math.max(this.#now, alarm.at);
    alarm.run();
    await quiet();
  }

  #placeOf(at: number): number {
    let [low, high] = [0, this.#alarms.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#alarms[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Promises that can go on without anybody outside have gone on: the event loop comes here when there are no more. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
