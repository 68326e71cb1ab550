import type { RunEnd } from "../engine/run-end.js";

/** Who waits for a run in the process that drives it hears of its end at once; from elsewhere it is asked for. */
const POLL_MS = { first: 50, longest: 500 };

type Wake = (end: RunEnd | null) => void;

export class EndedRuns {
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #isDrivenHere: (runId: string) => boolean;

  constructor(isDrivenHere: (runId: string) => boolean) {
    this.#isDrivenHere = isDrivenHere;
  }

  /** A worker of this process has driven it to its end, or (null) to where it waits. */
  driven(runId: string, end: RunEnd | null): void {
    for (const wake of this.#waiting.get(runId) ?? []) wake(end);
  }

  /**
   * Resolves when it is worth another look for its end: when it was driven here, or after a while that grows with the
   * looks in vain and in which nobody here drives it. With its end, where nobody needs to look any more.
   */
  ended(runId: string, inVain: number): Promise<RunEnd | null> {
    return this.#worthALook(runId, inVain, () => this.#isDrivenHere(runId));
  }

  /** Resolves when there may be another event: when it was driven here, or after a while that grows with the looks in vain. */
  async changed(runId: string, inVain: number): Promise<void> {
    await this.#worthALook(runId, inVain, () => false);
  }

  #worthALook(runId: string, inVain: number, isInVain: () => boolean): Promise<RunEnd | null> {
    const ms = Math.min(POLL_MS.first * 1.5 ** inVain, POLL_MS.longest);
    return new Promise((resolve) => {
      const wake = (end: RunEnd | null): void => {
        clearTimeout(timer);
        this.#forget(runId, wake);
        resolve(end);
      };
      const look = (): void => {
        if (isInVain()) timer = setTimeout(look, ms);
        else wake(null);
      };
      let timer = setTimeout(look, ms);
      this.#waiting.set(runId, (this.#waiting.get(runId) ?? new Set()).add(wake));
    });
  }

  #forget(runId: string, wake: Wake): void {
    const waiting = this.#waiting.get(runId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(runId);
  }
}
