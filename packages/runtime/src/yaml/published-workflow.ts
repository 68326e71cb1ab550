/** Converts workflows to and from their published form: a plan with notes. */
import { omitUndefined, type Plan, type PlanNotes } from "@runledger/contracts";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { jsonSchemaOf } from "../workflow/schema.js";
import { WorkflowCache } from "./workflow-cache.js";

/** Returns the notes that a server or a form needs without the workflow's code. */
export function notesOf({ input, signals, initialState, visibility = "shared" }: CompiledWorkflow): PlanNotes {
  const signalSchemas = Object.entries(signals).map(([name, schema]) => [name, jsonSchemaOf(schema)] as const);
  return {
    inputSchema: jsonSchemaOf(input),
    signalSchemas: Object.fromEntries(signalSchemas),
    ...omitUndefined({ initialState }),
    visibility,
  };
}

/** Compiled workflows take about twenty times the memory of their text. */
const cache = new WorkflowCache(8 * 1024 * 1024);

/** Builds a workflow that was published over HTTP, once per process. Its steps run only if the worker permits them. */
export function fromSource(source: string, name: string): Promise<CompiledWorkflow> {
  return cache.get(source, name, async () => {
    const { loadWorkflow } = await import("./load-workflow.js");
    return { ...compiledOf(await loadWorkflow(source, { name })), isPublished: true };
  });
}

/** Returns `null` if the text no longer compiles to the published plan. */
export async function fromNotes(plan: Plan, { source }: PlanNotes): Promise<CompiledWorkflow | null> {
  if (source === undefined) return null;
  const made = await fromSource(source, `${plan.planId}.json`);
  return made.plan.hash === plan.hash ? made : null;
}
