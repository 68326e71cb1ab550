import { InputError } from "@runledger/contracts";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow } from "../workflow/types.js";

/** The workflows that can be started through the API. */
export interface WorkflowSource {
  /** Without a version: the one that was published last. Throws WORKFLOW_NOT_FOUND. */
  find(id: string, version: string | undefined): Promise<CompiledWorkflow>;
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
