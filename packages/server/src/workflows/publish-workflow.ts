import { isDeepStrictEqual } from "node:util";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import { z } from "zod";
import {
  checkedJson,
  InputError,
  PlanVersionTakenError,
  StopError,
  type Plan,
  type PlanNotes,
  type Visibility,
} from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import { registerPlan } from "@runledger/runtime/runs/publish-plan";
import { checkDocumentLimits } from "@runledger/runtime/yaml/document-limits";
import { fromSource, notesOf } from "@runledger/runtime/yaml/published-workflow";
import type { Caller } from "../auth/caller.js";
import { route } from "../http/define-route.js";
import { identifier, instant } from "../http/schemas.js";

/** The parser of workflow files checks it, because it reports all errors at once. */
const publishRequest = z.record(z.string(), z.unknown()).meta({
  id: "WorkflowDocument",
  description: "A workflow file as JSON. `workflow` and `version` are optional, because the path contains them.",
});

const publishedWorkflow = z
  .object({
    workflowId: z.string(),
    version: z.string(),
    hash: z.string().meta({ description: "Hash of steps and options, without schemas." }),
    created: z.boolean().meta({ description: "`false` if this version was published before." }),
    publishedAt: instant,
    needsPermission: z
      .array(z.string())
      .meta({ description: "Kinds of steps that run only on workers that allow them: `command`, `sql`." }),
  })
  .meta({ id: "PublishedWorkflow", description: "A published version of a workflow." });

const MAX_BYTES = 256 * 1024;

export const publishWorkflow = route({
  method: "PUT",
  path: "/workflows/{workflowId}/{version}",
  operationId: "publishWorkflow",
  tag: "workflows",
  summary: "Publish a version of a workflow",
  description:
    "A version never changes: publishing it again succeeds only if the document is the same. An " +
    "engineer of a tenant publishes workflows whose id is the tenant and a name, such as `acme:orders`; they belong to the " +
    "tenant. A caller for all tenants may choose the `visibility`, and change it later. Steps that run commands or SQL, or that use secrets, run only on workers that " +
    "allow it.",
  role: "engineer",
  checkCaller: (caller, { workflowId = "" }) => void ownerOf(workflowId, caller),
  audited: true,
  params: z.object({ workflowId: identifier, version: identifier }),
  body: publishRequest,
  maxBodyBytes: MAX_BYTES,
  responses: {
    201: { description: "The version is published", schema: publishedWorkflow },
    200: { description: "The version was published before", schema: publishedWorkflow },
  },
  problems: [
    "PLAN_SYNTAX",
    "PLAN_PATTERN_UNSAFE",
    "PLAN_SCHEMA_UNSAFE",
    "PLAN_TOO_LARGE",
    "PLAN_VERSION_TAKEN",
    "PAYLOAD_NOT_JSON",
  ],
  handle: async ({ params: { workflowId, version }, body, caller, api }) => {
    const owner = ownerOf(workflowId, caller);
    const { plans } = api.ledger.store;
    for (const [name, value] of [["workflow", workflowId] as const, ["version", version] as const])
      if ((body[name] ?? value) !== value)
        throw new InputError("REQUEST_INVALID", `body.${name}`, `must be ${value}, as in the path, or absent.`);
    checkDocumentLimits(body, `${workflowId}.json`);
    checkedJson("body", body, MAX_BYTES);
    const source = JSON.stringify({ ...body, ...owner, workflow: workflowId, version }, null, 2);
    const workflow = await fromSource(source, `${workflowId}.json`);
    const known = await plans.loadPlan(workflow.plan);
    const created = known === null;
    const notes = { ...notesOf(workflow), source };
    if (known?.hash === workflow.plan.hash) refuseOther(workflow.plan, await plans.loadNotes(workflow.plan), notes);
    await registerPlan(api.ledger.store, workflow.plan, notes);
    refuseOther(workflow.plan, await plans.loadNotes(workflow.plan), notes); // another caller may have published it meanwhile
    internalsOf(api.ledger).pollPublished();
    const found = await plans.listPlans({ planId: workflowId });
    const { hash, publishedAt } = found.find(({ planVersion }) => planVersion === version)!;
    const outcome = { workflowId, version, hash, created, publishedAt, needsPermission: guardedKinds(workflow.plan) };
    return { status: created ? 201 : 200, body: outcome };
  },
});

/**
 * A plan's id and version are unique in a store. Each tenant publishes under its own name, so that a refusal reveals nothing
 * about the workflows of others.
 */
function ownerOf(workflowId: string, { allTenants, tenantId, name }: Caller): { readonly visibility?: Visibility } {
  if (allTenants) return {};
  const prefix = `${tenantId}:`;
  const rest = workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : "";
  if (rest !== "" && !rest.includes(":")) return { visibility: { tenants: [tenantId] } };
  throw new StopError(
    "FORBIDDEN",
    `${name} may publish only workflows of tenant ${tenantId}. Choose an id such as ${prefix}orders, or use a key for all tenants.`,
  );
}

/** A relaxed schema or another expression would change what callers and unfinished runs rely on (D7). */
function refuseOther({ planId, planVersion, hash }: Plan, known: PlanNotes, given: PlanNotes): void {
  const contentOf = known.source === undefined ? schemasOf : documentOf; // a version of a project has no source
  if (isDeepStrictEqual(contentOf(known), contentOf(given))) return;
  throw new PlanVersionTakenError(planId, planVersion, hash, "other schemas or expressions");
}

/** A caller for all tenants may change the visibility. */
function documentOf({ source = "" }: PlanNotes): unknown {
  const { visibility: _, ...document } = JSON.parse(source) as Record<string, unknown>;
  return document;
}

function schemasOf({ inputSchema = null, signalSchemas = {}, initialState = null }: PlanNotes): unknown {
  return { inputSchema, signalSchemas, initialState };
}

function guardedKinds(plan: Plan): string[] {
  const kinds = new Set([...indexPlan(plan).values()].map(({ kind }) => kind));
  return ["command", "sql"].filter((kind) => kinds.has(kind));
}
