import type { DriverSession } from "./driver.js";

/** A pool of sessions. It opens them on demand, reuses intact ones and discards broken ones. */
export class Sessions {
  readonly #open: () => Promise<DriverSession>;
  readonly #most: number;
  readonly #free: DriverSession[] = [];
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(open: () => Promise<DriverSession>, most: number) {
    this.#open = open;
    this.#most = most;
  }

  async take(): Promise<DriverSession> {
    while (this.#used >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#used++;
    try {
      return this.#free.pop() ?? (await this.#open());
    } catch (error) {
      this.#released();
      throw error;
    }
  }

  release(session: DriverSession): void {
    this.#free.push(session);
    this.#released();
  }

  /** Discards a session whose state is unknown. The result of closing it does not matter. */
  discard(session: DriverSession): void {
    session.close().catch(() => {});
    this.#released();
  }

  async close(): Promise<void> {
    while (this.#used > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.all(this.#free.splice(0).map((session) => session.close()));
  }

  #released(): void {
    this.#used--;
    this.#waiting.shift()?.();
  }
}
