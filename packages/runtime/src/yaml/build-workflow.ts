import { PlanError } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { attach } from "../workflow/compiled-workflow.js";
import type { LoadedWorkflow, LoadOptions } from "./load-workflow.js";
import { readWorkflow } from "./read-workflow.js";
import { Source } from "./source.js";

/** Builds the workflow that a text describes. Throws a PlanError with all problems and their positions. */
export function buildWorkflow(text: string, file: string, { kinds = [] }: LoadOptions): LoadedWorkflow {
  const { definition, parts, problems, expressions } = readWorkflow(new Source(text, file));
  if (definition === null) {
    const [first, ...rest] = [...problems, ...expressions];
    throw new PlanError(file, [first!, ...rest]);
  }
  const plan = compilePlan(definition, { kinds, expressions: () => expressions });
  const made = { id: plan.planId, version: plan.planVersion };
  attach(made, { plan, ...parts });
  return made as LoadedWorkflow;
}
