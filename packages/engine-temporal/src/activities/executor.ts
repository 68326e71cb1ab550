import { adapterVersion } from "@runledger/runtime/engine/adapter-version";
import type { Executor } from "@runledger/runtime/engine/run-context";
import { Context } from "@temporalio/activity";

const ADAPTER = adapterVersion("temporal");

/**
 * Returns the execution that called the current activity (N5), and Temporal's attempt of the activity. `runId` is
 * Temporal's id of the execution.
 */
export function executorOf(epoch: number): Executor {
  const { namespace, workflowExecution, attempt } = Context.current().info;
  const { workflowId, runId } = workflowExecution!; // only the workflow calls activities
  const engineRunRef = { engine: "temporal", namespace, workflowId, runId, epoch } as const;
  return { adapterVersion: ADAPTER, engineRunRef, attempt };
}
