import { idempotencyKey, type CanonicalEngineEvent, type StepRow, type TenantStore } from "@runledger/contracts";

const TYPES = ["StepStarted", "StepCompleted", "StepFailed", "StepSkipped"];
/** Of a step that was tried more often, the last ones are shown. */
const MOST_ATTEMPTS = 100;

/** Looked up by keys that can be computed (C4), so that it costs the same however long the log is. */
export async function attemptEvents(store: TenantStore, runId: string, step: StepRow): Promise<CanonicalEngineEvent[]> {
  const planVersion = await planVersionOf(store, runId);
  const last = Number(step.logicalAttemptId);
  const count = Number.isSafeInteger(last) ? Math.min(last, MOST_ATTEMPTS) : 1;
  const attempts = Array.from({ length: count }, (_, back) => String(last - back));
  const keys = attempts.flatMap((logicalAttemptId) =>
    TYPES.map((eventType) => idempotencyKey({ runId, stepId: step.stepId, logicalAttemptId, eventType, planVersion })),
  );
  return store.fetchByKeys(runId, keys);
}

/** The one that is part of its events' keys. */
export async function planVersionOf(store: TenantStore, runId: string): Promise<string> {
  const [first] = await store.fetchEvents(runId, { limit: 1 });
  return first?.planVersion ?? "";
}
