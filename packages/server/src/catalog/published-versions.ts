import { InputError, type FullStateStore, type PublishedPlan } from "@runledger/contracts";
import { maySee, type Reader } from "@runledger/runtime/runs/reader";
import { newestFirst } from "@runledger/runtime/runs/read-workflows";

/** Returns the versions of a workflow that the reader may see, the last published one first. Throws WORKFLOW_NOT_FOUND. */
export async function versionsOf(
  store: FullStateStore,
  workflowId: string,
  reader: Reader,
): Promise<readonly PublishedPlan[]> {
  const plans = await store.plans.listPlans({ planId: workflowId });
  const versions = newestFirst(plans.filter((plan) => maySee(reader, plan)));
  if (versions.length > 0) return versions;
  const message = `${workflowId} does not exist. Check the name, or start a worker that has it.`;
  throw new InputError("WORKFLOW_NOT_FOUND", "workflowId", message);
}
