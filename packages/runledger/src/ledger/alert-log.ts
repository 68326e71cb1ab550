/** The last alerts of this process, for whoever looks later. */
export interface RecordedAlert {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  /** P1 = somebody must act; P2 = somebody should know. */
  readonly severity: "P1" | "P2";
  readonly message: string;
  readonly runId?: string;
}

const MOST = 100;

export class AlertLog {
  readonly #alerts: RecordedAlert[] = [];

  /** Oldest first. */
  get all(): readonly RecordedAlert[] {
    return this.#alerts;
  }

  /** Records what it is given, and hands it on. */
  hearing<A extends Omit<RecordedAlert, "at" | "severity"> & { readonly severity?: "P1" | "P2" }>(
    then: (alert: A) => void,
  ): (alert: A) => void {
    return (alert) => {
      this.#alerts.push({ severity: "P2", ...alert, at: new Date().toISOString() });
      if (this.#alerts.length > MOST) this.#alerts.shift();
      then(alert);
    };
  }
}
