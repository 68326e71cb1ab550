import { z } from "zod";
import { versionsOf } from "../catalog/published-versions.js";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, instant, limitParam, pageOf } from "../http/schemas.js";
import { runPlan } from "../runs/plan.js";
import { byWorkflow, withSchemas } from "./get-workflow.js";

const workflowVersion = z
  .object({ version: z.string(), hash: z.string(), publishedAt: instant, plan: runPlan })
  .meta({ id: "WorkflowVersion", description: "A published version of a workflow." });

const versionPage = pageOf("WorkflowVersionPage", workflowVersion);

const versionQuery = z.strictObject({
  after: identifier.optional().meta(afterParam),
  limit: limitParam(50, 10),
});

export const listVersions = route({
  method: "GET",
  path: "/workflows/{workflowId}/versions",
  operationId: "listVersions",
  tag: "workflows",
  summary: "List the versions of a workflow",
  description: "Returns versions with their plans, the last published one first.",
  role: "viewer",
  params: byWorkflow,
  query: versionQuery,
  responses: { 200: { description: "A page of versions", schema: versionPage } },
  problems: ["WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { workflowId }, query: { after, limit = 10 }, caller, api }) => {
    const versions = await versionsOf(api.ledger.store, workflowId, caller);
    const from = after === undefined ? 0 : versions.findIndex(({ planVersion }) => planVersion === after) + 1;
    const page = versions.slice(from, from + limit);
    const items = await Promise.all(
      page.map(async (ref) => {
        const plan = await api.ledger.store.plans.loadPlan(ref);
        const { planVersion: version, hash, publishedAt } = ref;
        return { version, hash, publishedAt, plan: await withSchemas(plan!, api) };
      }),
    );
    return ok({ items, next: from + limit < versions.length ? items.at(-1)!.version : null });
  },
});
