import { idempotencyKey, type CanonicalEngineEvent, type JsonObject, type TenantStore } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import { planVersionOf } from "./attempt-events.js";

const TYPES = ["RunTakenOver", "RunPaused", "RunResumed", "RunReopened", "StepsReset"];
/** Of each type, the last ones. */
const MOST = 100;

/** What happened to a run as a whole while it ran: numbered by type (K2), so that keys find it in a log of any length. */
export async function landmarkEvents(store: TenantStore, { runId, ordinals }: RunState) {
  const counted = TYPES.filter((eventType) => ordinals[eventType] !== undefined);
  if (counted.length === 0) return [];
  const planVersion = await planVersionOf(store, runId);
  const keys = counted.flatMap((eventType) =>
    lastOnes(ordinals[eventType]!).map((logicalAttemptId) =>
      idempotencyKey({ runId, logicalAttemptId, eventType, planVersion }),
    ),
  );
  const events = await store.fetchByKeys(runId, keys);
  return events.map(landmark).toSorted((one, other) => one.runSeq - other.runSeq);
}

function lastOnes(count: number): string[] {
  return Array.from({ length: Math.min(count, MOST) }, (_, back) => String(count - back));
}

/** Without the steps that it was about: there may be many. */
function landmark({ runSeq, eventType, emittedAt, eventData }: CanonicalEngineEvent) {
  const { workerId, epoch } = (eventData ?? {}) as JsonObject;
  return {
    runSeq,
    eventType,
    emittedAt,
    ...(typeof workerId === "string" ? { workerId } : {}),
    ...(typeof epoch === "number" ? { epoch } : {}),
  };
}
