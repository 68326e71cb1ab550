import { z } from "zod";
import type { FullStateStore, Plan, PlanNotes } from "@runledger/contracts";
import { jsonSchemaOf } from "@runledger/runtime/workflow/schema";
import type { WorkflowSource } from "../catalog/workflow-source.js";

const jsonSchema = z.record(z.string(), z.unknown());

/** Schema of `Plan`, with the JSON Schemas of the workflow's data. */
export const runPlan = z
  .object({
    planId: z.string(),
    planVersion: z.string(),
    hash: z.string().meta({ description: "Hash of the plan's content." }),
    body: z.record(z.string(), z.unknown()).meta({ description: "The compiled steps." }),
    deadlineMs: z.number().nullable().meta({ description: "`null` if runs have no deadline." }),
    approval: z.boolean().meta({ description: "`true` if a run waits for approval before it starts." }),
    partitions: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "How the workflow is partitioned. Absent if it is not." }),
    inputSchema: jsonSchema.nullable().meta({ description: "JSON Schema of the input. `null` if unknown." }),
    signalSchemas: z
      .record(z.string(), jsonSchema.nullable())
      .meta({ description: "JSON Schemas of signals by name. `null` if unknown." }),
  })
  .meta({ id: "RunPlan", description: "The plan of a run." });

/** Returns schemas from the workflow's code if this server has it, else those that its publisher recorded. */
export async function schemasOf({ planId, planVersion }: Plan, workflows: WorkflowSource, store: FullStateStore) {
  const known = await workflows.find(planId, planVersion).catch(() => null);
  if (known === null) return recordedSchemas(await store.plans.loadNotes({ planId, planVersion }));
  const signals = Object.entries(known.signals).map(([name, schema]) => [name, jsonSchemaOf(schema)]);
  return { inputSchema: jsonSchemaOf(known.input), signalSchemas: Object.fromEntries(signals) as object };
}

function recordedSchemas({ inputSchema = null, signalSchemas = {} }: PlanNotes) {
  return { inputSchema, signalSchemas };
}
