import type { IncomingHttpHeaders } from "node:http";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import { traceOfRequest } from "@runledger/runtime/telemetry/trace-context";
import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import type { Admission } from "@runledger/core";
import type { Caller } from "../auth/caller.js";
import type { Api } from "../http/api.js";
import { route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";

export const startRequest = z
  .strictObject({
    workflow: identifier.meta({ description: "Id of the workflow." }),
    version: identifier.optional().meta({ description: "Defaults to the version that was published last." }),
    input: z.unknown().optional().meta({ description: "Input of the run. It must match the workflow's schema." }),
    requestId: identifier
      .optional()
      .meta({ description: "Idempotency key: a repeated request returns the run that the first one started." }),
    projectId: identifier.optional().meta({ description: "Defaults to `default`." }),
    environmentId: identifier.optional().meta({ description: "Defaults to `default`." }),
    priority: z
      .int()
      .min(-1000)
      .max(1000)
      .optional()
      .meta({ description: "Defaults to 0. Higher values start first." }),
    concurrencyKey: identifier.optional().meta({
      description: "The tenant's runs with the same key run one at a time, or as many as a limit on the key allows.",
    }),
    startAt: z.iso.datetime().optional().meta({ description: "Earliest start of the run." }),
    dedupe: z
      .literal("workflow")
      .optional()
      .meta({ description: "`workflow` to make `requestId` unique across all versions of the workflow." }),
    labels: z.record(identifier, z.string().max(255)).optional().meta({ description: "Labels to find the run by." }),
  })
  .meta({ id: "StartRequest", description: "A run to start." });

export const startedRun = z
  .object({
    runId: identifier,
    created: z
      .boolean()
      .meta({ description: "`false` if an earlier request with the same `requestId` started the run." }),
    workflow: z.string(),
    version: z.string(),
    admission: z.enum(["ACCEPT", "QUEUE", "DELAY"]).optional().meta({
      description:
        "For a new run: `ACCEPT` if it can run now, `QUEUE` if it waits for a limit, `DELAY` if it starts later.",
    }),
    startAt: z.string().optional().meta({ description: "Time of the start, for `DELAY`." }),
  })
  .meta({ id: "StartedRun", description: "A started run." });

export const startRun = route({
  method: "POST",
  path: "/runs",
  operationId: "startRun",
  tag: "runs",
  summary: "Start a run",
  description:
    "Queues a run of a workflow and returns immediately. With a `requestId`, the call is safe to repeat: it returns the " +
    "run that the first call started. The header `traceparent` makes the run part of the caller's trace.",
  role: "operator",
  body: startRequest,
  maxBodyBytes: 512 * 1024,
  responses: {
    202: { description: "The run is queued", schema: startedRun },
    200: { description: "An earlier request with the same `requestId` started the run", schema: startedRun },
  },
  problems: [
    "WORKFLOW_NOT_FOUND",
    "SCHEMA_MISMATCH",
    "REQUEST_CHANGED",
    "RUN_DELETED",
    "PAYLOAD_TOO_LARGE",
    "QUEUE_FULL",
  ],
  handle: async ({ body, headers, caller, api, quota }) => {
    quota.countStarts(1);
    const run = await startRequestedRun(api, caller, { ...body, headers });
    const location = `/api/v1/runs/${encodeURIComponent(run.runId)}`;
    return { status: run.created ? 202 : 200, body: run, headers: { location } };
  },
});

/** Starts a run for a caller. */
export async function startRequestedRun(
  { workflows, ledger }: Api,
  { tenantId, name: by }: Caller,
  request: z.output<typeof startRequest> & { readonly headers: IncomingHttpHeaders },
): Promise<z.input<typeof startedRun>> {
  const { workflow: id, version, input, headers, ...options } = request;
  const workflow = await workflows.find(id, version, tenantId);
  const { runId, created, admission } = await internalsOf(ledger).startCompiled(workflow, input, {
    ...omitUndefined({ ...options, trace: traceOfRequest(headers) }),
    tenantId,
    by,
  });
  const { planId, planVersion } = workflow.plan;
  return { runId, created, workflow: planId, version: planVersion, ...admissionFields(admission) };
}

function admissionFields(admission: Admission | undefined) {
  if (admission === undefined) return {};
  return { admission: admission.answer, ...(admission.answer === "DELAY" ? { startAt: admission.startAt } : {}) };
}
