import type { Timers } from "../time/timers.js";
import type { VirtualTime } from "./virtual-time.js";

/**
 * Simulates a process that may be killed or suspended at any moment. Its timers do not fire and its calls return nothing:
 * never again if it was killed, or until it resumes.
 */
export class VirtualProcess {
  readonly timers: Timers;
  readonly #alarms = new Set<() => void>();
  #state: "running" | "suspended" | "ended" = "running";
  #waiting: (() => void)[] = [];

  /** @param skewMs How far the process's clock is ahead. */
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

  /** Like kill -9. */
  kill(): void {
    this.#state = "ended";
    this.#waiting = [];
    for (const cancel of this.#alarms) cancel();
    this.#alarms.clear();
  }

  /** Like SIGSTOP. */
  suspend(): void {
    if (this.#state === "running") this.#state = "suspended";
  }

  resume(): void {
    if (this.#state !== "suspended") return;
    this.#state = "running";
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Resolves when code of this process may run: now, later, or never. */
  running(): Promise<void> {
    return new Promise((resolve) => this.#whenRunning(resolve));
  }

  /** Delays a promise's result until the process runs. */
  async seen<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } finally {
      await this.running();
    }
  }

  #whenRunning(run: () => void): void {
    if (this.#state === "running") run();
    else if (this.#state === "suspended") this.#waiting.push(run);
  }
}
