import { InputError, type FullStateStore, type PublishedPlan } from "@runledger/contracts";

/** Every version of a workflow, the one that was published last in front. Throws WORKFLOW_NOT_FOUND. */
export async function versionsOf(store: FullStateStore, workflowId: string): Promise<readonly PublishedPlan[]> {
  const versions = newestFirst(await store.plans.listPlans({ planId: workflowId }));
  if (versions.length > 0) return versions;
  const message = `there is no workflow ${workflowId}; check the name, or start a worker that has it.`;
  throw new InputError("WORKFLOW_NOT_FOUND", "workflowId", message);
}

export function newestFirst(plans: readonly PublishedPlan[]): readonly PublishedPlan[] {
  return plans.toSorted((one, other) => (one.publishedAt < other.publishedAt ? 1 : -1));
}
