/** The clock and timers of everything that waits. Tests replace them with virtual time. */
export interface Timers {
  /** Milliseconds since 1970, by this machine's clock. */
  now(): number;
  /** Calls `run` after `ms`. Returns a function that cancels the timer. */
  after(ms: number, run: () => void): () => void;
}

/** The longest delay that `setTimeout` supports. */
const LONGEST = 2 ** 31 - 1;

/** Uses the monotonic clock: a wall clock that jumps must not time out a step early. */
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
