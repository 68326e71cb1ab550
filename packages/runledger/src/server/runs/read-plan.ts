import { InputError, type FullStateStore, type Plan, type PlanNotes } from "@runledger/contracts";
import { jsonSchemaOf } from "../../workflow/schema.js";
import type { WorkflowSource } from "../workflow-source.js";
import { readHeader } from "./read-run.js";

/** The plan that a run follows. Whoever started the run has published it. */
export async function planOfRun(store: FullStateStore, head: Parameters<typeof readHeader>[1]): Promise<Plan> {
  const { planId, planVersion } = await readHeader(store, head);
  const plan =
    planId === undefined || planVersion === undefined ? null : await store.plans.loadPlan({ planId, planVersion });
  if (plan !== null) return plan;
  throw new InputError(
    "WORKFLOW_NOT_FOUND",
    "runId",
    "the plan of this run was not published; it came from elsewhere.",
  );
}

/** What its data must look like: as the code says, or as whoever has it has noted. */
export async function schemasOf({ planId, planVersion }: Plan, workflows: WorkflowSource, store: FullStateStore) {
  const known = await workflows.find(planId, planVersion).catch(() => null);
  if (known === null) return notedSchemas(await store.plans.loadNotes({ planId, planVersion }));
  const signals = Object.entries(known.signals).map(([name, schema]) => [name, jsonSchemaOf(schema)]);
  return { inputSchema: jsonSchemaOf(known.input), signalSchemas: Object.fromEntries(signals) as object };
}

function notedSchemas({ inputSchema = null, signalSchemas = {} }: PlanNotes) {
  return { inputSchema, signalSchemas };
}
