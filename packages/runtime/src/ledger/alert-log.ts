import type { Counter, Meter } from "@opentelemetry/api";

/** One alert of this process. The ledger keeps the last ones. */
export interface RecordedAlert {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  /** `critical` if an operator must act, `warning` if an operator should know. */
  readonly severity: "critical" | "warning";
  readonly message: string;
  readonly runId?: string;
  /** The tenant that the alert is about. Absent if it concerns all tenants. */
  readonly tenantId?: string;
}

const MOST = 100;

export class AlertLog {
  readonly #alerts: RecordedAlert[] = [];
  readonly #total: Counter;

  constructor(meter: Meter) {
    const description = "Alerts by code and severity.";
    this.#total = meter.createCounter("runledger_alerts_total", { description });
  }

  /** Oldest first. */
  get all(): readonly RecordedAlert[] {
    return this.#alerts;
  }

  /** Returns a function that records an alert and passes it on. */
  recording<A extends Omit<RecordedAlert, "at" | "severity"> & { readonly severity?: "critical" | "warning" }>(
    then: (alert: A) => void,
  ): (alert: A) => void {
    return (alert) => {
      const recorded = { severity: "warning" as const, ...alert, at: new Date().toISOString() };
      this.#alerts.push(recorded);
      this.#total.add(1, { code: recorded.code, severity: recorded.severity });
      if (this.#alerts.length > MOST) this.#alerts.shift();
      then(alert);
    };
  }
}
