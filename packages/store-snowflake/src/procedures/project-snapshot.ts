/** PROJECT_SNAPSHOT, as it runs inside Snowflake: the one fold, over rows of RUN_EVENTS from OBJECT_CONSTRUCT(*). */
import type { CanonicalEngineEvent, RunSnapshot } from "@runledger/contracts";
import { evolveAll, initialState, toRunSnapshot } from "@runledger/core";

/** Values by column. A NULL is absent. */
export type EventRow = Readonly<Record<string, unknown>>;

const FIELDS = [
  ["RUN_ID", "runId"],
  ["RUN_SEQ", "runSeq"],
  ["EVENT_ID", "eventId"],
  ["STEP_ID", "stepId"],
  ["ENGINE_ATTEMPT_ID", "engineAttemptId"],
  ["LOGICAL_ATTEMPT_ID", "logicalAttemptId"],
  ["EVENT_TYPE", "eventType"],
  ["EVENT_DATA", "eventData"],
  ["IDEMPOTENCY_KEY", "idempotencyKey"],
  ["CAUSED_BY_SIGNAL_ID", "causedBySignalId"],
  ["PARENT_EVENT_ID", "parentEventId"],
  ["ADAPTER_VERSION", "adapterVersion"],
  ["ENGINE_RUN_REF", "engineRunRef"],
  ["PLAN_ID", "planId"],
  ["PLAN_VERSION", "planVersion"],
] as const;

export function projectSnapshot(rows: readonly EventRow[]): RunSnapshot | null {
  const events = rows.map(toEvent).sort((a, b) => a.runSeq - b.runSeq);
  return events.length === 0 ? null : toRunSnapshot(evolveAll(initialState(events[0]!.runId), events));
}

function toEvent(row: EventRow): CanonicalEngineEvent {
  const event: Record<string, unknown> = { eventData: null, emittedAt: isoInstant(row["EMITTED_AT"]) };
  for (const [column, field] of FIELDS)
    if (row[column] !== undefined && row[column] !== null) event[field] = row[column];
  if (row["PERSISTED_AT"] !== undefined) event["persistedAt"] = isoInstant(row["PERSISTED_AT"]);
  return event as unknown as CanonicalEngineEvent;
}

/** A time inside a VARIANT arrives as a Date, or as text without a zone, which means UTC. */
function isoInstant(value: unknown): string {
  if (typeof value !== "string") return new Date((value as Date).getTime()).toISOString();
  const text = value.replace(" ", "T");
  return new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`).toISOString();
}
