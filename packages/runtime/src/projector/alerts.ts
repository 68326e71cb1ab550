/** A condition that an operator should look at. */
export interface Alert {
  readonly code: "EVENTS_LOST" | "PROJECTOR_LAG_HIGH" | "PROJECTOR_GAP_DETECTED" | "PROJECTOR_RUN_FAILED";
  /** `critical` if an operator must act, `warning` if an operator should know. */
  readonly severity: "critical" | "warning";
  readonly message: string;
  readonly runId?: string;
}
