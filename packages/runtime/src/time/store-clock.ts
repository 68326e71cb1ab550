import type { Timers } from "./timers.js";

/**
 * Estimates the store's clock from responses that carry its time. The estimate lags by the response time and is never ahead,
 * so that nothing happens early.
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
