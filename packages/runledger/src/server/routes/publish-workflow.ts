import { checkedJson, InputError, type Plan } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import { z } from "zod";
import { fromSource, notesOf } from "../../workflow/published-workflow.js";
import { route } from "../http/define-route.js";
import { publishedWorkflow, publishRequest } from "../schemas/publish.js";
import { identifier } from "../schemas/values.js";

const MOST_BYTES = 256 * 1024;

export const publishWorkflow = route({
  method: "PUT",
  path: "/workflows/{workflowId}/{version}",
  operationId: "publishWorkflow",
  tag: "workflows",
  summary: "Publish a version of a workflow",
  description:
    "A version stands for the same steps for ever; saying it again changes nothing but its schemas. Workflows are shared " +
    "by all tenants, so that this takes a caller who may act for all of them. Steps that run commands or SQL, or use " +
    "secrets, do so only on workers that allow it.",
  role: "engineer",
  allTenants: true,
  audited: true,
  params: z.object({ workflowId: identifier, version: identifier }),
  body: publishRequest,
  maxBodyBytes: MOST_BYTES,
  answers: {
    201: { description: "It is published", schema: publishedWorkflow },
    200: { description: "It was published before", schema: publishedWorkflow },
  },
  problems: ["PLAN_SYNTAX", "PLAN_PATTERN_UNSAFE", "PLAN_VERSION_TAKEN", "PAYLOAD_NOT_JSON"],
  handle: async ({ params: { workflowId, version }, body, api }) => {
    const { plans } = api.ledger.store;
    for (const [name, value] of [["workflow", workflowId] as const, ["version", version] as const])
      if ((body[name] ?? value) !== value)
        throw new InputError("REQUEST_INVALID", `body.${name}`, `must be ${value}, as in the path, or left out.`);
    checkedJson("body", body, MOST_BYTES);
    const source = JSON.stringify({ ...body, workflow: workflowId, version }, null, 2);
    const workflow = await fromSource(source, `${workflowId}.json`);
    const created = (await plans.loadPlan(workflow.plan)) === null;
    await plans.registerPlan(workflow.plan, { ...notesOf(workflow), source });
    api.ledger.lookForPublished();
    const found = await plans.listPlans({ planId: workflowId });
    const { hash, publishedAt } = found.find(({ planVersion }) => planVersion === version)!;
    const outcome = { workflowId, version, hash, created, publishedAt, needsPermission: guardedKinds(workflow.plan) };
    return { status: created ? 201 : 200, body: outcome };
  },
});

function guardedKinds(plan: Plan): string[] {
  const kinds = new Set([...indexPlan(plan).values()].map(({ kind }) => kind));
  return ["command", "sql"].filter((kind) => kinds.has(kind));
}
