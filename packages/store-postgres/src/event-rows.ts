import type { CanonicalEngineEvent, Json } from "@runledger/contracts";
import type { Row } from "./client.js";

/** Of run_events and of the archive, in the order in which `toEvent` reads them. */
export const eventColumns = `run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id, event_type,
  event_data, idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, persisted_at, adapter_version,
  engine_run_ref, plan_id, plan_version`;

const OPTIONAL = [
  [3, "stepId"],
  [4, "engineAttemptId"],
  [9, "causedBySignalId"],
  [10, "parentEventId"],
  [13, "adapterVersion"],
  [14, "engineRunRef"],
  [15, "planId"],
] as const;

export function toEvent(row: Row): CanonicalEngineEvent {
  const event: Record<string, unknown> = {
    runId: row[0] as string,
    runSeq: row[1] as number,
    eventId: row[2] as string,
    eventType: row[6] as string,
    logicalAttemptId: row[5] as string,
    planVersion: row[16] as string,
    idempotencyKey: row[8] as string,
    emittedAt: row[11] as string,
    persistedAt: row[12] as string,
    eventData: row[7] as Json,
  };
  for (const [column, name] of OPTIONAL) if (row[column] !== null) event[name] = row[column];
  return event as unknown as CanonicalEngineEvent;
}
