import type { Timers } from "../time/timers.js";

/**
 * The store's clock, as far as this machine knows it: every answer that carries a time sets it. It is behind by what the
 * answer took, never ahead, so that nothing happens before its time.
 */
export class StoreClock {
  readonly #timers: Timers;
  #offset = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  readonly now = (): number => this.#timers.now() + this.#offset;

  set(now: string): void {
    this.#offset = Date.parse(now) - this.#timers.now();
  }
}
