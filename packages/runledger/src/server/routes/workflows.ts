import type { Plan } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { etagOfBody, isKnown, notModified } from "../http/etag.js";
import type { Api } from "../http/api.js";
import { schemasOf } from "../runs/read-plan.js";
import {
  byWorkflow,
  versionPage,
  versionQuery,
  workflowDetail,
  workflowPage,
  workflowQuery,
} from "../schemas/workflow.js";
import { versionsOf } from "../workflows/find-workflow.js";
import { historyOf } from "../workflows/history.js";
import { listWorkflows as readWorkflows } from "../workflows/list-workflows.js";

export const listWorkflows = route({
  method: "GET",
  path: "/workflows",
  operationId: "listWorkflows",
  tag: "workflows",
  summary: "Workflows that are published, by id, and how their runs stand",
  description: "A workflow is published by whoever starts a run of it, by workers that have it, and over HTTP.",
  role: "viewer",
  query: workflowQuery,
  answers: { 200: { description: "A page of workflows", schema: workflowPage } },
  problems: [],
  handle: async ({ query: { after, limit = 50 }, caller: { tenantId }, api }) =>
    ok(await readWorkflows(api.ledger.store, { tenantId, after, limit })),
});

export const getWorkflow = route({
  method: "GET",
  path: "/workflows/{workflowId}",
  operationId: "getWorkflow",
  tag: "workflows",
  summary: "A workflow: the plan of its newest version, and how its last runs went, step by step",
  role: "viewer",
  params: byWorkflow,
  answers: {
    200: { description: "The workflow", schema: workflowDetail },
    304: { description: "The caller has this already" },
  },
  problems: ["WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { workflowId }, headers, caller: { tenantId }, api }) => {
    const { store } = api.ledger;
    const versions = await versionsOf(store, workflowId);
    const newest = versions[0]!;
    const [plan, counts, history] = await Promise.all([
      store.plans.loadPlan(newest),
      store.index.countRuns({ tenantId, planId: workflowId }),
      historyOf(store, tenantId, workflowId),
    ]);
    const about = { workflowId, publishedAt: newest.publishedAt, versionCount: versions.length };
    const body = { ...about, plan: await shownPlan(plan!, api), counts, history };
    const etag = etagOfBody(body);
    return isKnown(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});

export const listVersions = route({
  method: "GET",
  path: "/workflows/{workflowId}/versions",
  operationId: "listVersions",
  tag: "workflows",
  summary: "The versions of a workflow with their plans, the one that was published last first",
  role: "viewer",
  params: byWorkflow,
  query: versionQuery,
  answers: { 200: { description: "A page of versions", schema: versionPage } },
  problems: ["WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { workflowId }, query: { after, limit = 10 }, api }) => {
    const versions = await versionsOf(api.ledger.store, workflowId);
    const from = after === undefined ? 0 : versions.findIndex(({ planVersion }) => planVersion === after) + 1;
    const page = versions.slice(from, from + limit);
    const items = await Promise.all(
      page.map(async (ref) => {
        const plan = await api.ledger.store.plans.loadPlan(ref);
        const { planVersion: version, hash, publishedAt } = ref;
        return { version, hash, publishedAt, plan: await shownPlan(plan!, api) };
      }),
    );
    return ok({ items, next: from + limit < versions.length ? items.at(-1)!.version : null });
  },
});

/** With what only a server that knows the workflow's schemas can say. */
async function shownPlan(plan: Plan, api: Api) {
  return { ...plan, ...(await schemasOf(plan, api.workflows, api.ledger.store)) };
}
