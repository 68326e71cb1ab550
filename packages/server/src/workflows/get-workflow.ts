import { z } from "zod";
import type { Plan } from "@runledger/contracts";
import { shownVisibility } from "@runledger/runtime/runs/reader";
import { versionsOf } from "../catalog/published-versions.js";
import { visibilitySchema } from "../catalog/visibility-schema.js";
import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { etagOfBody, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { identifier, instant } from "../http/schemas.js";
import { runPlan, schemasOf } from "../runs/plan.js";
import { runCounts } from "../runs/run-summary.js";
import { historyOf, historySchema } from "./history.js";

export const byWorkflow = z.object({ workflowId: identifier });

const workflowDetail = z
  .object({
    workflowId: z.string(),
    publishedAt: instant,
    versionCount: z.int().meta({ description: "Number of published versions." }),
    visibility: visibilitySchema,
    plan: runPlan.meta({ description: "Plan of the version that was published last." }),
    counts: runCounts.meta({ description: "Runs of the tenant by status, of all versions." }),
    history: historySchema,
  })
  .meta({ id: "WorkflowDetail", description: "A workflow and the history of its runs." });

export const getWorkflow = route({
  method: "GET",
  path: "/workflows/{workflowId}",
  operationId: "getWorkflow",
  tag: "workflows",
  summary: "Get a workflow",
  description: "Returns the plan of the newest version and the last 50 runs, step by step.",
  role: "viewer",
  params: byWorkflow,
  responses: { 200: { description: "The workflow", schema: workflowDetail }, ...notModifiedResponse },
  problems: ["WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { workflowId }, headers, caller, api }) => {
    const { store } = api.ledger;
    const { tenantId } = caller;
    const versions = await versionsOf(store, workflowId, caller);
    const newest = versions[0]!;
    const [plan, counts, history] = await Promise.all([
      store.plans.loadPlan(newest),
      store.index.countRuns({ tenantId, planId: workflowId }),
      historyOf(store, tenantId, workflowId),
    ]);
    const { publishedAt } = newest;
    const versionCount = versions.length;
    const visibility = shownVisibility(caller, newest);
    const shown = await withSchemas(plan!, api);
    const body = { workflowId, publishedAt, versionCount, visibility, plan: shown, counts, history };
    const etag = etagOfBody(body);
    return matchesEtag(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});

/** Adds the JSON Schemas of the workflow's input and signals. */
export async function withSchemas(plan: Plan, api: Api) {
  return { ...plan, ...(await schemasOf(plan, api.workflows, api.ledger.store)) };
}
