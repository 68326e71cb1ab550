import { z } from "zod";
import { readWorkflows } from "@runledger/runtime/runs/read-workflows";
import { visibilitySchema } from "../catalog/visibility-schema.js";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, instant, limitParam, pageOf } from "../http/schemas.js";
import { runCounts, runSummary } from "../runs/run-summary.js";

const workflowSummary = z
  .object({
    workflowId: z.string(),
    version: z.string().meta({ description: "Version that was published last." }),
    publishedAt: instant,
    versionCount: z.int().meta({ description: "Number of published versions." }),
    visibility: visibilitySchema,
    counts: runCounts.meta({ description: "Runs of the tenant by status, of all versions." }),
    lastRun: runSummary.nullable().meta({ description: "Newest run of the tenant. `null` if there is none." }),
  })
  .meta({ id: "WorkflowSummary", description: "A workflow in a list." });

const workflowPage = pageOf("WorkflowPage", workflowSummary);

const workflowQuery = z.strictObject({
  after: identifier.optional().meta(afterParam),
  limit: limitParam(100, 50),
});

export const listWorkflows = route({
  method: "GET",
  path: "/workflows",
  operationId: "listWorkflows",
  tag: "workflows",
  summary: "List workflows",
  description:
    "Returns published workflows by id. A workflow is published when a run of it starts, when a worker that has it starts, or over HTTP.",
  role: "viewer",
  query: workflowQuery,
  responses: { 200: { description: "A page of workflows", schema: workflowPage } },
  problems: [],
  handle: async ({ query: { after, limit = 50 }, caller: reader, api }) =>
    ok(await readWorkflows(api.ledger.store, { reader, after, limit })),
});
