import { Notifier } from "./notifier.js";
import { tryOnce } from "./retry.js";
import type { Timers } from "./timers.js";

export interface PollLoopParams {
  readonly timers: Timers;
  /** Delay between two rounds. */
  readonly everyMs: number;
  /**
   * One round. It may return another delay in ms until the next round, or `again` to start the next round immediately.
   * If it throws, the loop continues after `everyMs`.
   */
  readonly round: () => Promise<number | "again" | void>;
  /** The loop finishes once this returns `true`. */
  readonly isDone: () => boolean;
  /** Receives errors of rounds, except those of an unavailable store. */
  readonly onFault: (error: unknown) => void;
}

/** Repeats a round every `everyMs`, and immediately after `notify()`. */
export class PollLoop {
  readonly #params: PollLoopParams;
  readonly #notifier: Notifier;
  #finished: Promise<void> | null = null;

  constructor(params: PollLoopParams) {
    this.#params = params;
    this.#notifier = new Notifier(params.timers);
  }

  start(): this {
    this.#finished ??= this.#run();
    return this;
  }

  /** Starts the next round now, or directly after the current one. */
  notify(): void {
    this.#notifier.notify();
  }

  /** Resolves once the loop is done and its last round has finished. */
  async finished(): Promise<void> {
    await this.#finished;
  }

  async #run(): Promise<void> {
    const { everyMs, round, isDone, onFault } = this.#params;
    while (!isDone()) {
      const next = (await tryOnce(round, onFault)) ?? everyMs;
      if (next !== "again" && !isDone()) await this.#notifier.wait(next);
    }
  }
}
