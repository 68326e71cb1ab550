import { z } from "zod";
import { InputError } from "@runledger/contracts";
import { attemptEvents } from "@runledger/runtime/runs/attempt-events";
import { readOutput, readStep } from "@runledger/runtime/runs/read-run";
import { ok, route } from "../http/define-route.js";
import { etagHeader, etagOf, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { identifier } from "../http/schemas.js";
import { event } from "./event-schema.js";
import { byRun, findRun } from "./find-run.js";
import { outputArtifact } from "./run-schema.js";
import { step } from "./step-schema.js";

const stepDetail = z
  .object({
    step,
    output: z.unknown().optional().meta({
      description: "Output of the step if it succeeded, also if a step inside it or a signal provides the output.",
    }),
    outputArtifact,
    events: z
      .array(event)
      .meta({ description: "Events of the step's last 100 attempts, oldest first, with payloads." }),
  })
  .meta({ id: "StepDetail", description: "A step and the events of its attempts." });

export const getStep = route({
  method: "GET",
  path: "/runs/{runId}/steps/{stepId}",
  operationId: "getStep",
  tag: "runs",
  summary: "Get a step of a run",
  description: "Returns the step and the events of its attempts.",
  role: "viewer",
  isLargeRead: true,
  params: byRun.extend({ stepId: identifier }),
  responses: { 200: { description: "The step", schema: stepDetail }, ...notModifiedResponse },
  problems: ["RUN_NOT_FOUND", "STEP_NOT_FOUND"],
  handle: async ({ params: { runId, stepId }, headers, store, api }) => {
    const head = await findRun(store, runId);
    const etag = etagOf(api.ledger.store, head.headSeq);
    if (matchesEtag(headers, etag)) return notModified(etag);
    const row = await readStep(api.ledger.store, head, stepId);
    if (row === undefined)
      throw new InputError(
        "STEP_NOT_FOUND",
        "stepId",
        `${stepId} does not exist in run ${runId}, or has not started yet.`,
      );
    const [events, output] = await Promise.all([
      attemptEvents(store, runId, row),
      readOutput(api.ledger.store, head, stepId),
    ]);
    return ok({ step: row, ...output, events }, etagHeader(etag));
  },
});
