/** What an operator should look at. */
export interface Alert {
  readonly code: "PROJECTOR_LAG_HIGH" | "PROJECTOR_GAP_DETECTED";
  /** P1 = somebody must act; P2 = somebody should know. */
  readonly severity: "P1" | "P2";
  readonly message: string;
  readonly runId?: string;
}

/** One line, for whoever collects logs. */
export function printAlert(alert: Alert): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), level: "alert", ...alert }));
}
