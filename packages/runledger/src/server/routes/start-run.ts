import { route } from "../http/define-route.js";
import { startRun as start } from "../runs/start-run.js";
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
    const run = await start(api, caller, body);
    const location = `/api/v1/runs/${encodeURIComponent(run.runId)}`;
    return { status: run.created ? 202 : 200, body: run, headers: { location } };
  },
});
