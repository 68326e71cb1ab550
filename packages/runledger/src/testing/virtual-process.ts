import type { Timers } from "../time/timers.js";
import type { VirtualTime } from "./virtual-time.js";

/**
 * A process that may end or stand still at any moment, as far as the engine in it can tell: its timers do not ring and
 * the answers to its calls do not come, never again or not before it goes on.
 */
export class VirtualProcess {
  readonly timers: Timers;
  readonly #alarms = new Set<() => void>();
  #state: "running" | "standing still" | "ended" = "running";
  #waiting: (() => void)[] = [];

  /** `skewMs`: how far its clock is ahead. */
  constructor(time: VirtualTime, skewMs = 0) {
    this.timers = {
      now: () => time.now() + skewMs,
      after: (ms, run) => {
        let isCancelled = false;
        const cancel = time.after(ms, () => {
          this.#alarms.delete(cancel);
          this.#whenRunning(() => (isCancelled ? undefined : run()));
        });
        this.#alarms.add(cancel);
        return () => {
          isCancelled = true;
          this.#alarms.delete(cancel);
          cancel();
        };
      },
    };
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** As kill -9 does. */
  kill(): void {
    this.#state = "ended";
    this.#waiting = [];
    for (const cancel of this.#alarms) cancel();
    this.#alarms.clear();
  }

  /** As SIGSTOP does. */
  standStill(): void {
    if (this.#state === "running") this.#state = "standing still";
  }

  goOn(): void {
    if (this.#state !== "standing still") return;
    this.#state = "running";
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Resolves when code of this process may run: at once, later, or never. */
  running(): Promise<void> {
    return new Promise((resolve) => this.#whenRunning(resolve));
  }

  /** A promise as the process sees it. */
  async seen<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } finally {
      await this.running();
    }
  }

  #whenRunning(run: () => void): void {
    if (this.#state === "running") run();
    else if (this.#state === "standing still") this.#waiting.push(run);
  }
}
