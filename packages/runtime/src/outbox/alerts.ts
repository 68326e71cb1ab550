import { messageOf } from "./outcomes.js";

/** A condition that an operator should look at. */
export interface OutboxAlert {
  readonly code: "OUTBOX_DEAD_LETTER" | "OUTBOX_RUN_FAILED";
  /** `critical` if an operator must act, `warning` if an operator should know. */
  readonly severity: "critical" | "warning";
  readonly message: string;
  readonly tenantId: string;
  readonly runId: string;
}

/** The alert for a run whose new events no subscription learns about. */
export function unrecorded(runId: string, tenantId: string, error: unknown): OutboxAlert {
  const message = `the new events of run ${runId} cannot be recorded and are not delivered: ${messageOf(error)}`;
  return { code: "OUTBOX_RUN_FAILED", severity: "critical", message, tenantId, runId };
}
