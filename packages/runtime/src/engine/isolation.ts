/** Lets a worker drive one run alone: a run with a step that may kill its worker (D5). */
export interface IsolationHost {
  /** `true` if the worker runs the steps of no other run. */
  isAlone(runId: string): boolean;
  /** Stops driving all other runs once their running steps have finished. */
  drainOthers(runId: string): void;
  /** The worker may drive other runs again. */
  onLeft(): void;
}

export class Isolation {
  readonly #host: IsolationHost;
  #isolated: { readonly runId: string; readonly notify: () => void } | null = null;

  constructor(host: IsolationHost) {
    this.#host = host;
  }

  get isActive(): boolean {
    return this.#isolated !== null;
  }

  /** `true` if another run is driven alone, or waits for that. */
  excludes(runId: string): boolean {
    return this.#isolated !== null && this.#isolated.runId !== runId;
  }

  /**
   * Returns `alone` if the run may be driven. With `waiting`, `notify` is called when that may have changed. With
   * `refused`, another run is driven alone: release this one.
   */
  enter(runId: string, notify: () => void): "alone" | "waiting" | "refused" {
    if (this.excludes(runId)) return "refused";
    if (this.#isolated === null) {
      this.#isolated = { runId, notify };
      this.#host.drainOthers(runId);
    }
    return this.#host.isAlone(runId) ? "alone" : "waiting";
  }

  leave(runId: string): void {
    if (this.#isolated?.runId !== runId) return;
    this.#isolated = null;
    this.#host.onLeft();
  }

  /** Call this when the worker stops driving a run. */
  recheck(): void {
    this.#isolated?.notify();
  }
}
