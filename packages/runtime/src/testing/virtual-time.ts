import type { Timers } from "../time/timers.js";

interface PendingTimer {
  readonly at: number;
  readonly run: () => void;
}

/**
 * A clock that only tests advance. Between two timers, everything that can happen without time passing happens, in a
 * deterministic order.
 */
export class VirtualTime implements Timers {
  #now: number;
  /** Ascending by time; timers of the same time in the order they were set. */
  readonly #pending: PendingTimer[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + Math.max(0, ms), run };
    this.#pending.splice(this.#placeOf(timer.at), 0, timer);
    return () => {
      const place = this.#pending.indexOf(timer);
      if (place >= 0) this.#pending.splice(place, 1);
    };
  };

  /** When the next timer fires; `null` if there is none. */
  get next(): number | null {
    return this.#pending[0]?.at ?? null;
  }

  /** Runs everything that is due now. */
  async settle(): Promise<void> {
    await this.advanceTo(this.#now);
  }

  /** Advances time, timer by timer. */
  async advanceTo(time: number): Promise<void> {
    await quiet();
    while (this.#pending.length > 0 && this.#pending[0]!.at <= time) await this.fireNext();
    this.#now = Math.max(this.#now, time);
  }

  /** Advances time to the next timer and runs everything that it triggers. */
  async fireNext(): Promise<void> {
    const timer = this.#pending.shift();
    if (timer === undefined) return;
    this.#now = Math.max(this.#now, timer.at);
    timer.run();
    await quiet();
  }

  #placeOf(at: number): number {
    let [low, high] = [0, this.#pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pending[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Resolves when no pending promise can continue without I/O or timers: the event loop then reaches this callback. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
