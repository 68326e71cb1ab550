import type { Counter, Gauge, Meter } from "@opentelemetry/api";

/** Metrics of the latency budget and of the spool (B1). */
export class BudgetMetrics {
  readonly #late: Counter;
  readonly #spooled: Counter;
  readonly #bytes: Gauge;
  readonly #workerId: string;

  constructor(meter: Meter, workerId: string) {
    this.#workerId = workerId;
    this.#late = meter.createCounter("runledger_late_appends_total", {
      description: "Appends that took longer than the budget.",
    });
    this.#spooled = meter.createCounter("runledger_spooled_appends_total", {
      description: "Appends that failed open, by outcome.",
    });
    this.#bytes = meter.createGauge("runledger_spool_bytes", { description: "Size of events that wait in the spool." });
  }

  late(): void {
    this.#late.add(1);
  }

  spooled(outcome: "spooled" | "reconciled" | "dropped"): void {
    this.#spooled.add(1, { outcome });
  }

  bytes(bytes: number): void {
    this.#bytes.record(bytes, { worker: this.#workerId });
  }
}
