import type { Admission } from "@runledger/core";
import { present } from "../../workflow/present.js";
import { route } from "../http/define-route.js";
import { startedRun, startRequest } from "../schemas/run.js";

export const startRun = route({
  method: "POST",
  path: "/runs",
  operationId: "startRun",
  tag: "runs",
  summary: "Start a run",
  description:
    "With a `requestId` it is safe to repeat: the second call answers with the run that the first one started.",
  role: "operator",
  body: startRequest,
  maxBodyBytes: 512 * 1024,
  answers: {
    202: { description: "The run is in the queue", schema: startedRun },
    200: { description: "The same request had started it before", schema: startedRun },
  },
  problems: ["WORKFLOW_NOT_FOUND", "SCHEMA_MISMATCH", "REQUEST_CHANGED", "PAYLOAD_TOO_LARGE", "QUEUE_FULL"],
  handle: async ({ body, caller, api }) => {
    const { workflow: id, version, input, ...said } = body;
    const workflow = await api.workflows.find(id, version);
    const options = { ...present(said), tenantId: caller.tenantId };
    const { runId, created, admission } = await api.ledger.startCompiled(workflow, input, options);
    const { planId, planVersion } = workflow.plan;
    return {
      status: created ? 202 : 200,
      body: { runId, created, workflow: planId, version: planVersion, ...answered(admission) },
      headers: { location: `/api/v1/runs/${encodeURIComponent(runId)}` },
    };
  },
});

function answered(admission: Admission | undefined) {
  if (admission === undefined) return {};
  return { admission: admission.answer, ...(admission.answer === "DELAY" ? { startAt: admission.startAt } : {}) };
}
