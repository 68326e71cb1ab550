import { InputError, type FullStateStore } from "@runledger/contracts";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { fromNotes } from "../workflow/published-workflow.js";
import { newestFirst } from "./workflows/find-workflow.js";
import type { AnyWorkflow } from "../workflow/types.js";

/** The workflows that can be started through the API. */
export interface WorkflowSource {
  /** Without a version: the one that was published last. Throws WORKFLOW_NOT_FOUND. */
  find(id: string, version: string | undefined): Promise<CompiledWorkflow>;
}

/** Those, and what was published over HTTP. What the project has comes first. */
export function withPublished(project: WorkflowSource, store: FullStateStore): WorkflowSource {
  return {
    find: (id, version) =>
      project.find(id, version).catch(async (error: unknown) => {
        const found = await findPublished(store, id, version);
        if (found === null) throw error;
        return found;
      }),
  };
}

async function findPublished(
  store: FullStateStore,
  planId: string,
  version: string | undefined,
): Promise<CompiledWorkflow | null> {
  const published = newestFirst(await store.plans.listPlans({ planId, withSource: true }));
  const ref = published.find(({ planVersion }) => (version ?? planVersion) === planVersion);
  if (ref === undefined) return null;
  const [plan, notes] = await Promise.all([store.plans.loadPlan(ref), store.plans.loadNotes(ref)]);
  return plan === null ? null : fromNotes(plan, notes);
}

/** Those of a project. */
export function projectWorkflows(workflows: () => readonly AnyWorkflow[]): WorkflowSource {
  return {
    find: async (id, version) => {
      const found = workflows().findLast((one) => one.id === id && (version ?? one.version) === one.version);
      if (found !== undefined) return compiledOf(found);
      throw new InputError("WORKFLOW_NOT_FOUND", "workflow", notFound(id, version));
    },
  };
}

function notFound(id: string, version: string | undefined): string {
  const what = version === undefined ? `no workflow ${id}` : `no version ${version} of workflow ${id}`;
  return `there is ${what}; check the name, or start a worker that has it.`;
}
