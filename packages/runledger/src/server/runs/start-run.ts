import type { Admission } from "@runledger/core";
import type { z } from "zod";
import { present } from "../../workflow/present.js";
import type { Caller } from "../access/caller.js";
import type { Api } from "../http/api.js";
import type { startedRun, startRequest } from "../schemas/run.js";

/** As the API asks for it and tells of it. */
export async function startRun(
  { workflows, ledger }: Api,
  { tenantId, name: by }: Caller,
  request: z.output<typeof startRequest>,
): Promise<z.input<typeof startedRun>> {
  const { workflow: id, version, input, ...said } = request;
  const workflow = await workflows.find(id, version);
  const options = { ...present(said), tenantId, by };
  const { runId, created, admission } = await ledger.startCompiled(workflow, input, options);
  const { planId, planVersion } = workflow.plan;
  return { runId, created, workflow: planId, version: planVersion, ...answered(admission) };
}

function answered(admission: Admission | undefined) {
  if (admission === undefined) return {};
  return { admission: admission.answer, ...(admission.answer === "DELAY" ? { startAt: admission.startAt } : {}) };
}
