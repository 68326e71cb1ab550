/** Workflows that are known by what was published of them: a plan, and notes beside it. */
import type { Plan, PlanNotes } from "@runledger/contracts";
import { compiledOf, type CompiledWorkflow } from "./compiled-workflow.js";
import { present } from "./present.js";
import { jsonSchemaOf } from "./schema.js";

/** What a server, or a form, has to know of a workflow without its code. */
export function notesOf({ input, signals, initialState }: CompiledWorkflow): PlanNotes {
  const signalSchemas = Object.entries(signals).map(([name, schema]) => [name, jsonSchemaOf(schema)] as const);
  return {
    inputSchema: jsonSchemaOf(input),
    signalSchemas: Object.fromEntries(signalSchemas),
    ...present({ initialState }),
  };
}

/** The workflow of a text, as everything that came over HTTP: its steps run only where the worker lets them. */
export async function fromSource(source: string, name: string): Promise<CompiledWorkflow> {
  const { loadWorkflow } = await import("../yaml/load-workflow.js");
  return { ...compiledOf(await loadWorkflow(source, { name })), isPublished: true };
}

/** Null = what is published under this name is not what the text says any more. */
export async function fromNotes(plan: Plan, { source }: PlanNotes): Promise<CompiledWorkflow | null> {
  if (source === undefined) return null;
  const made = await fromSource(source, `${plan.planId}.json`);
  return made.plan.hash === plan.hash ? made : null;
}
