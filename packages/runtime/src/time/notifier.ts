import type { Timers } from "./timers.js";

/**
 * Auto-reset event: `wait(ms)` resolves on `notify()` or after `ms`. A `notify()` without a waiter releases the next
 * `wait()`.
 */
export class Notifier {
  readonly #timers: Timers;
  #notified = false;
  #wake: (() => void) | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** With `null`, waits until `notify()`. */
  async wait(ms: number | null): Promise<void> {
    if (!this.#notified) await this.#notification(ms);
    this.#notified = false;
  }

  #notification(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#wake = null;
        resolve();
      };
      const cancel = ms === null ? () => {} : this.#timers.after(ms, wake);
      this.#wake = wake;
    });
  }
}
