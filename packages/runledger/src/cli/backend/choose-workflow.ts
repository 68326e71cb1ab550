import { InputError } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import type { Project } from "../../config/load-project.js";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";

/** Finds `nightly-orders` (the project's newest version) or `nightly-orders@1.4.0`. */
export function chooseWorkflow({ workflows, configFile }: Project, name: string): AnyWorkflow {
  const [id, version] = name.split("@");
  const found = workflows
    .map(({ workflow }) => workflow)
    .filter((workflow) => workflow.id === id && (version === undefined || workflow.version === version))
    .sort((a, b) => a.version.localeCompare(b.version, "en", { numeric: true }));
  const newest = found.at(-1);
  if (newest !== undefined) return newest;
  const known = workflows.map(({ workflow }) => `${workflow.id}@${workflow.version}`).join(", ");
  throw new InputError("WORKFLOW_NOT_FOUND", "workflow", `${configFile} has no workflow ${name}. It has ${known}.`);
}

/** Finds the run's workflow in the run's version. */
export function workflowOf(project: Project | null, { details }: RunState): AnyWorkflow | null {
  const { planId, planVersion } = details;
  const found = project?.workflows.find(({ workflow }) => workflow.id === planId && workflow.version === planVersion);
  return found?.workflow ?? null;
}
