import type { RunEnd } from "./run-end.js";

/** Waiters in the driving process are notified immediately; all others poll. */
const POLL_MS = { first: 50, longest: 500 };

type Wake = (end: RunEnd | null) => void;

export class RunWaiters {
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #isDrivenHere: (runId: string) => boolean;

  constructor(isDrivenHere: (runId: string) => boolean) {
    this.#isDrivenHere = isDrivenHere;
  }

  /** A worker of this process has finished the run, or (with `null`) parked it. */
  settled(runId: string, end: RunEnd | null): void {
    for (const wake of this.#waiting.get(runId) ?? []) wake(end);
  }

  /**
   * Resolves when the caller should check for the end: when a worker of this process has settled the run, or after a delay
   * during which no worker here drives it. The delay grows with `polls`. Resolves with the end if it is known.
   */
  waitForEnd(runId: string, polls: number): Promise<RunEnd | null> {
    return this.#wait(runId, polls, () => this.#isDrivenHere(runId));
  }

  /** Resolves when there may be another event. The delay grows with `polls`. */
  async waitForChange(runId: string, polls: number): Promise<void> {
    await this.#wait(runId, polls, () => false);
  }

  #wait(runId: string, polls: number, isUseless: () => boolean): Promise<RunEnd | null> {
    const ms = Math.min(POLL_MS.first * 1.5 ** polls, POLL_MS.longest);
    return new Promise((resolve) => {
      const wake = (end: RunEnd | null): void => {
        clearTimeout(timer);
        this.#remove(runId, wake);
        resolve(end);
      };
      const poll = (): void => {
        if (isUseless()) timer = setTimeout(poll, ms);
        else wake(null);
      };
      let timer = setTimeout(poll, ms);
      this.#waiting.set(runId, (this.#waiting.get(runId) ?? new Set()).add(wake));
    });
  }

  #remove(runId: string, wake: Wake): void {
    const waiting = this.#waiting.get(runId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(runId);
  }
}
