import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Row } from "./client.js";
import { isoInstant } from "./instants.js";

/** Columns of RUN_EVENTS and of the archive, in the order in which `toEvent` reads them. */
export const eventColumns = `RUN_ID, RUN_SEQ, EVENT_ID, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID, EVENT_TYPE,
  EVENT_DATA, IDEMPOTENCY_KEY, CAUSED_BY_SIGNAL_ID, PARENT_EVENT_ID, EMITTED_AT, PERSISTED_AT, ADAPTER_VERSION,
  ENGINE_RUN_REF, PLAN_ID, PLAN_VERSION`;

const OPTIONAL = [
  [3, "stepId"],
  [4, "engineAttemptId"],
  [9, "causedBySignalId"],
  [10, "parentEventId"],
  [13, "adapterVersion"],
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
    emittedAt: isoInstant(row[11]),
    persistedAt: isoInstant(row[12]),
    eventData: fromVariant(row[7]),
  };
  for (const [column, name] of OPTIONAL) if (row[column] !== null) event[name] = row[column];
  if (row[14] !== null) event["engineRunRef"] = fromVariant(row[14]);
  return event as unknown as CanonicalEngineEvent;
}

/** Parses a VARIANT, which is fetched as text. A JSON null and a missing value look the same. */
export function fromVariant(value: unknown): unknown {
  return value === null ? null : (JSON.parse(value as string) as unknown);
}
