/**
 * How far projections are behind the log, and what follows from it (state-store-contract 5.2).
 *  above 5 s   PROJECTOR_LAG_HIGH, once until it has fallen below again
 *  above 10 s  resync: nothing that was remembered is trusted, and what piled up is read to its end first
 */
import type { Alert } from "./alerts.js";
import type { ProjectorMetrics } from "./projector-metrics.js";

const ALERT_MS = 5_000;
const RESYNC_MS = 10_000;

export class LagWatch {
  readonly #metrics: ProjectorMetrics;
  readonly #alert: (alert: Alert) => void;
  #isHigh = false;
  #isTooHigh = false;
  #needsResync = false;

  constructor(metrics: ProjectorMetrics, alert: (alert: Alert) => void) {
    this.#metrics = metrics;
    this.#alert = alert;
  }

  /** Of the oldest event that is being projected, or would be if the store could be reached; 0 = none is. */
  note(lagMs: number): void {
    this.#metrics.lag.set(lagMs / 1000);
    if (lagMs > ALERT_MS && !this.#isHigh) {
      const seconds = (lagMs / 1000).toFixed(1);
      const message = `projections are ${seconds} s behind the log; what readers see is marked stale meanwhile`;
      this.#alert({ code: "PROJECTOR_LAG_HIGH", severity: "P2", message });
    }
    this.#needsResync ||= lagMs > RESYNC_MS && !this.#isTooHigh;
    this.#isHigh = lagMs > ALERT_MS;
    this.#isTooHigh = lagMs > RESYNC_MS;
  }

  /** True once for each time that the lag has grown too large. */
  takeResync(): boolean {
    const needed = this.#needsResync;
    this.#needsResync = false;
    return needed;
  }
}
