import { type CanonicalEngineEvent, idempotencyKey, type JsonObject, type TenantStore } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import { planVersionOf } from "@runledger/runtime/runs/attempt-events";

const TYPES = ["RunTakenOver", "RunPaused", "RunResumed", "RunReopened", "StepsReset"];
/** Per type; older events are omitted. */
const MAX_EVENTS = 100;

/** Run-level events are numbered by type (K2), so their keys can be computed for a log of any length. */
export async function landmarkEvents(store: TenantStore, { runId, ordinals }: RunState) {
  const counted = TYPES.filter((eventType) => ordinals[eventType] !== undefined);
  if (counted.length === 0) return [];
  const planVersion = await planVersionOf(store, runId);
  const keys = counted.flatMap((eventType) =>
    lastOrdinals(ordinals[eventType]!).map((logicalAttemptId) =>
      idempotencyKey({ runId, logicalAttemptId, eventType, planVersion }),
    ),
  );
  const events = await store.fetchByKeys(runId, keys);
  return events.map(toLandmark).toSorted((one, other) => one.runSeq - other.runSeq);
}

function lastOrdinals(count: number): string[] {
  return Array.from({ length: Math.min(count, MAX_EVENTS) }, (_, back) => String(count - back));
}

/** Omits the affected steps, of which there may be many. */
function toLandmark({ runSeq, eventType, emittedAt, eventData }: CanonicalEngineEvent) {
  const { workerId, epoch } = (eventData ?? {}) as JsonObject;
  return {
    runSeq,
    eventType,
    emittedAt,
    ...(typeof workerId === "string" ? { workerId } : {}),
    ...(typeof epoch === "number" ? { epoch } : {}),
  };
}
