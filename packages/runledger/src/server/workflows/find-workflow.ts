import { InputError, type FullStateStore, type PublishedPlan } from "@runledger/contracts";

/** Every version of a workflow, the one that was published last in front. Throws WORKFLOW_NOT_FOUND. */
export async function versionsOf(store: FullStateStore, workflowId: string): Promise<readonly PublishedPlan[]> {
  const versions = newestFirst(await store.plans.listPlans({ planId: workflowId }));
  if (versions.length > 0) return versions;
  const message = `there is no workflow ${workflowId}; check the name, or start a worker that has it.`;
  throw new InputError("WORKFLOW_NOT_FOUND", "workflowId", message);
}

/** Of those that were published at once, the one with the higher number is the newer. */
export function newestFirst(plans: readonly PublishedPlan[]): readonly PublishedPlan[] {
  return plans.toSorted(
    (one, other) =>
      Date.parse(other.publishedAt) - Date.parse(one.publishedAt) ||
      other.planVersion.localeCompare(one.planVersion, "en", { numeric: true }),
  );
}
