/** Tells Temporal which errors it should retry: an unavailable store, but not a lost lease. */
import { RunledgerError, StaleLeaseError, type PlanRef } from "@runledger/contracts";
import { ApplicationFailure } from "@temporalio/common";

export async function withFailures<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof StaleLeaseError) throw ApplicationFailure.nonRetryable(error.message, "STALE_LEASE");
    if (error instanceof RunledgerError) throw ApplicationFailure.retryable(error.message, error.code);
    throw error;
  }
}

export function noWorkflow(runId: string, { planId, planVersion }: PlanRef): ApplicationFailure {
  const message = `Run ${runId} needs workflow ${planId} ${planVersion}, which this worker does not have. Add it to the worker's workflows.`;
  return ApplicationFailure.retryable(message, "NO_WORKFLOW");
}
