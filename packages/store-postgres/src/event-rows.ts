import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Row } from "./client.js";

/** Columns of run_events and of the archive, in the order in which `toEvent` reads them. */
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
    runId: row[0],
    runSeq: row[1],
    eventId: row[2],
    eventType: row[6],
    logicalAttemptId: row[5],
    planVersion: row[16],
    idempotencyKey: row[8],
    emittedAt: row[11],
    persistedAt: row[12],
    eventData: row[7],
  };
  for (const [column, name] of OPTIONAL) if (row[column] !== null) event[name] = row[column];
  return event as unknown as CanonicalEngineEvent;
}
