/** Sends alerts in the background, so that the part that raises one never waits. */
import { busDelay } from "../outbox/backoff.js";
import { BusUnavailableError } from "../outbox/event-bus.js";
import { Notifier } from "../time/notifier.js";
import type { Timers } from "../time/timers.js";

export interface AlertQueueParams<A> {
  readonly timers: Timers;
  /** Most alerts of one call of `send`. */
  readonly batchSize: number;
  /** Attempts after which the alerts are dropped. */
  readonly maxAttempts: number;
  readonly send: (alerts: readonly A[]) => Promise<void>;
  /** Receives the error of a failed attempt. */
  readonly onFailure: (error: unknown) => void;
  /** Receives the number of alerts that will not be sent. */
  readonly onDropped: (count: number) => void;
}

const MOST_WAITING = 100;
/** A process that stops does not wait longer than this for its last alerts. */
const CLOSE_MS = 2000;

export class AlertQueue<A> {
  readonly #params: AlertQueueParams<A>;
  readonly #notifier: Notifier;
  readonly #waiting: A[] = [];
  #running: Promise<void> | null = null;
  #isClosing = false;
  #isClosed = false;

  constructor(params: AlertQueueParams<A>) {
    this.#params = params;
    this.#notifier = new Notifier(params.timers);
  }

  add(alert: A): void {
    if (this.#isClosing || this.#waiting.length >= MOST_WAITING) return this.#params.onDropped(1);
    this.#waiting.push(alert);
    this.#running ??= this.#run();
  }

  /** Sends what is waiting, once and for a bounded time. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#notifier.notify();
    if (this.#running === null) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#params.timers.after(CLOSE_MS, resolve);
      void this.#running?.finally(() => (cancel(), resolve()));
    });
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // the part that raised the alert continues first
    const { batchSize } = this.#params;
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const batch = this.#waiting.slice(0, batchSize);
      if (!(await this.#sendBatch(batch))) this.#params.onDropped(batch.length);
      this.#waiting.splice(0, batch.length);
    }
    this.#running = null;
  }

  /** Returns `false` after the last attempt. */
  async #sendBatch(batch: readonly A[]): Promise<boolean> {
    const { send, maxAttempts, onFailure } = this.#params;
    for (let failures = 1; ; failures++) {
      try {
        await send(batch);
        return true;
      } catch (error) {
        onFailure(error);
        if (this.#isClosing || failures >= maxAttempts) return false;
        await this.#notifier.wait(delayOf(error, failures));
      }
    }
  }
}

/** A receiver may ask to wait longer. */
function delayOf(error: unknown, failures: number): number {
  const asked = error instanceof BusUnavailableError ? error.retryAfterMs : 0;
  return Math.max(asked, busDelay(failures, Math.random));
}
