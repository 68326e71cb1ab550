/** The alerts of all parts, and the port through which processes share them. */

/** `critical` if an operator must act, `warning` if an operator should know. */
export type AlertSeverity = "critical" | "warning";

/** Every alert, with its severity. Each has a remedy, a page in docs/alerts, and a driver in tests/alerts that raises it. */
export const ALERTS = {
  PROJECTOR_LAG_HIGH: "warning",
  PROJECTOR_GAP_DETECTED: "critical",
  PROJECTOR_RUN_FAILED: "critical",
  EVENTS_LOST: "critical",
  SCHEDULE_FAILED: "warning",
  OUTBOX_DEAD_LETTER: "warning",
  OUTBOX_RUN_FAILED: "critical",
  APPEND_BUDGET_EXCEEDED: "warning",
  CHECKPOINT_MISSING: "warning",
  CHECKPOINT_UNUSABLE: "warning",
  CHECKPOINT_LARGE: "warning",
  RUN_ISOLATED: "warning",
  SIGNALS_UNTAKEN: "warning",
  TRIGGER_EVENT_REJECTED: "warning",
} as const satisfies Readonly<Record<string, AlertSeverity>>;

export type AlertCode = keyof typeof ALERTS;

/** One alert of a process. */
export interface RecordedAlert {
  readonly alertId: string;
  /** ISO 8601, by the clock of the process. */
  readonly at: string;
  /** A key of `ALERTS`. A newer process may have recorded others. */
  readonly code: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  /** The process that raised it, such as `web-1-4711`. */
  readonly process: string;
  readonly runId?: string;
  /** The tenant that the alert is about. Absent if it concerns all tenants. */
  readonly tenantId?: string;
}

/** The newest alerts of each tenant that a store keeps at least. It keeps at most `MAX_ALERTS_PER_CALL` more. */
export const KEPT_ALERTS = 500;
export const MAX_ALERTS_PER_CALL = 100;
/** The time after which a store may forget an alert. */
export const ALERT_DAYS = 7;

/** The recent alerts of all processes. A store without this port works: then each server shows its own alerts only. */
export interface AlertStore {
  /**
   * Records alerts. An id that is already recorded is ignored, so a call can be repeated. An alert about a run belongs to the
   * tenant of the run. Also forgets old alerts.
   */
  recordAlerts(alerts: readonly RecordedAlert[]): Promise<void>;
  /**
   * Lists alerts, newest first. With `tenantId`: those of this tenant, and those that concern all tenants. `withinMs` counts
   * from the time at which they were recorded, by the store's clock.
   */
  listAlerts(params: {
    readonly tenantId?: string;
    readonly withinMs: number;
    readonly limit: number;
  }): Promise<RecordedAlert[]>;
}
