/**
 * Watches how far projections are behind the log (state-store-contract 5.2).
 *  above 5 s   raises PROJECTOR_LAG_HIGH, once until the lag falls below 5 s again
 *  above 10 s  resyncs: drops cached state and reads the backlog to its end first
 */
import type { Gauge } from "@opentelemetry/api";
import type { Alert } from "./alerts.js";

const ALERT_MS = 5_000;
const RESYNC_MS = 10_000;

export class LagWatch {
  readonly #gauge: Gauge;
  readonly #alert: (alert: Alert) => void;
  #isHigh = false;
  #isTooHigh = false;
  #resyncs = 0;
  #lagMs: number | null = null;

  constructor(gauge: Gauge, alert: (alert: Alert) => void) {
    this.#gauge = gauge;
    this.#alert = alert;
  }

  /** `null` before the first measurement. */
  get lagMs(): number | null {
    return this.#lagMs;
  }

  /** How often the lag has crossed the resync limit. */
  get resyncs(): number {
    return this.#resyncs;
  }

  /** Notes the age of the oldest event that is not projected; 0 if there is none. */
  note(lagMs: number): void {
    this.#gauge.record(lagMs / 1000);
    this.#lagMs = lagMs;
    if (lagMs > ALERT_MS && !this.#isHigh) this.#raise(lagMs);
    if (lagMs > RESYNC_MS && !this.#isTooHigh) this.#resyncs++;
    this.#isHigh = lagMs > ALERT_MS;
    this.#isTooHigh = lagMs > RESYNC_MS;
  }

  #raise(lagMs: number): void {
    const seconds = (lagMs / 1000).toFixed(1);
    const message = `projections are ${seconds} s behind the log; readers see runs marked stale until they catch up`;
    this.#alert({ code: "PROJECTOR_LAG_HIGH", severity: "warning", message });
  }
}
