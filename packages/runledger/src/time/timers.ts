/** Time as everything that waits sees it; a test may turn it by hand. */
export interface Timers {
  /** Milliseconds since 1970, by this machine's clock. */
  now(): number;
  /** Gives back what takes it back. */
  after(ms: number, run: () => void): () => void;
}

/** What setTimeout can wait for. */
const LONGEST = 2 ** 31 - 1;

/** By a clock that nobody can set: a wall clock that jumps must not end a step before its time. */
export const realTimers: Timers = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    let timer = setTimeout(next, Math.min(ms, LONGEST));
    let left = ms;
    function next(): void {
      left -= LONGEST;
      if (left <= 0) run();
      else timer = setTimeout(next, Math.min(left, LONGEST));
    }
    return () => clearTimeout(timer);
  },
};

export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve));
}

/** Somebody rests until a time, or until the bell rings. A ring that nobody rests for is heard at the next rest. */
export class Bell {
  readonly #timers: Timers;
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Null = until it rings. */
  async rest(ms: number | null): Promise<void> {
    if (!this.#rung) await this.#silence(ms);
    this.#rung = false;
  }

  #silence(ms: number | null): Promise<void> {
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
