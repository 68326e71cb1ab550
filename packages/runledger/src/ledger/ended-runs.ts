/** Who waits for a run in the process that drives it hears of its end at once; from elsewhere it is asked for. */
const POLL_MS = { first: 50, longest: 500 };

export class EndedRuns {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** A worker of this process has driven it to its end. */
  ended(runId: string): void {
    for (const wake of this.#waiting.get(runId) ?? []) wake();
  }

  /** Resolves when it is worth another look: at its end, or after a while that grows with the looks in vain. */
  worthALook(runId: string, inVain: number): Promise<void> {
    const ms = Math.min(POLL_MS.first * 1.5 ** inVain, POLL_MS.longest);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#forget(runId, wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.set(runId, (this.#waiting.get(runId) ?? new Set()).add(wake));
    });
  }

  #forget(runId: string, wake: () => void): void {
    const waiting = this.#waiting.get(runId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(runId);
  }
}
