import { type CanonicalEngineEvent, idempotencyKey, type StepRow, type TenantStore } from "@runledger/contracts";

const TYPES = ["StepStarted", "StepCompleted", "StepFailed", "StepSkipped"];
/** For a step with more attempts, only the last ones are returned. */
const MAX_ATTEMPTS = 100;

/** Computes the keys of the events (C4), so that the cost does not depend on the length of the log. */
export async function attemptEvents(store: TenantStore, runId: string, step: StepRow): Promise<CanonicalEngineEvent[]> {
  const planVersion = await planVersionOf(store, runId);
  const last = Number(step.logicalAttemptId);
  const count = Number.isSafeInteger(last) ? Math.min(last, MAX_ATTEMPTS) : 1;
  const attempts = Array.from({ length: count }, (_, back) => String(last - back));
  const keys = attempts.flatMap((logicalAttemptId) =>
    TYPES.map((eventType) => idempotencyKey({ runId, stepId: step.stepId, logicalAttemptId, eventType, planVersion })),
  );
  return store.fetchByKeys(runId, keys);
}

/** Returns the plan version that is part of the keys of the run's events. */
export async function planVersionOf(store: TenantStore, runId: string): Promise<string> {
  const [first] = await store.fetchEvents(runId, { limit: 1 });
  return first?.planVersion ?? "";
}
