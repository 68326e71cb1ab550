/** Keeps calls from waiting for a server that does not respond: after a few failures, one call at a time tries it. */
import type { Timers } from "../time/timers.js";

/** Failures in a row after which calls stop. */
const FAILURES = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export class Breaker {
  readonly #timers: Pick<Timers, "now">;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #opensAt = 0;

  constructor(timers: Pick<Timers, "now">) {
    this.#timers = timers;
  }

  /** Returns `false` if the caller must not call the server now. */
  allows(): boolean {
    if (this.#failures < FAILURES) return true;
    if (this.#timers.now() < this.#opensAt) return false;
    this.#opensAt = this.#timers.now() + this.#pauseMs; // others do not try at the same time
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Returns `true` if calls stop because of this failure. */
  failed(): boolean {
    this.#failures++;
    if (this.#failures < FAILURES) return false;
    if (this.#failures > FAILURES) this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#opensAt = this.#timers.now() + this.#pauseMs;
    return this.#failures === FAILURES;
  }
}
