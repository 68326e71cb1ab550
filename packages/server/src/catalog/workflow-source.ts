import { isVisibleTo, type FullStateStore, type Visibility } from "@runledger/contracts";
import { workflowNotFound } from "@runledger/runtime/runs/visibility";
import { compiledOf, type CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { fromNotes } from "@runledger/runtime/yaml/published-workflow";
import { newestFirst } from "@runledger/runtime/runs/read-workflows";

/** The workflows that callers can start. */
export interface WorkflowSource {
  /**
   * Finds the given version, or the last published one. Throws WORKFLOW_NOT_FOUND, also if the tenant may not see the workflow.
   * Without a tenant, all workflows are visible.
   */
  find(id: string, version: string | undefined, tenantId?: string): Promise<CompiledWorkflow>;
}

/** Adds workflows that were published over HTTP. Those of the project take precedence. */
export function withPublished(project: WorkflowSource, store: FullStateStore): WorkflowSource {
  return {
    find: (id, version, tenantId) =>
      project.find(id, version, tenantId).catch(async (error: unknown) => {
        const found = await findPublished(store, { id, version, tenantId });
        if (found === null) throw error;
        return found;
      }),
  };
}

interface WantedWorkflow {
  readonly id: string;
  readonly version: string | undefined;
  readonly tenantId: string | undefined;
}

function isSeenBy(visibility: Visibility | undefined, tenantId: string | undefined): boolean {
  return tenantId === undefined || isVisibleTo(visibility, tenantId);
}

async function findPublished(
  store: FullStateStore,
  { id, version, tenantId }: WantedWorkflow,
): Promise<CompiledWorkflow | null> {
  const plans = await store.plans.listPlans({ planId: id, withSource: true });
  const published = newestFirst(plans.filter(({ visibility }) => isSeenBy(visibility, tenantId)));
  const ref = published.find(({ planVersion }) => (version ?? planVersion) === planVersion);
  if (ref === undefined) return null;
  const [plan, notes] = await Promise.all([store.plans.loadPlan(ref), store.plans.loadNotes(ref)]);
  return plan === null ? null : fromNotes(plan, notes);
}

/** Serves the workflows of a project. */
export function projectWorkflows(workflows: () => readonly AnyWorkflow[]): WorkflowSource {
  return {
    find: async (id, version, tenantId) => {
      const same = workflows().filter((one) => one.id === id && (version ?? one.version) === one.version);
      const found = same.map(compiledOf).findLast(({ visibility }) => isSeenBy(visibility, tenantId));
      if (found !== undefined) return found;
      throw workflowNotFound(id, version);
    },
  };
}
