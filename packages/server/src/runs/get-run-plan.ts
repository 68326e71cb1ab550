import { type FullStateStore, InputError, type Plan } from "@runledger/contracts";
import { readHeader } from "@runledger/runtime/runs/read-run";
import { ok, route } from "../http/define-route.js";
import { etagOfBody, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { byRun, findRun } from "./find-run.js";
import { runPlan, schemasOf } from "./plan.js";

export const getRunPlan = route({
  method: "GET",
  path: "/runs/{runId}/plan",
  operationId: "getRunPlan",
  tag: "runs",
  summary: "Get the plan of a run",
  description: "Returns the compiled steps and the JSON Schemas of the run's input and signals.",
  role: "viewer",
  params: byRun,
  responses: { 200: { description: "The plan", schema: runPlan }, ...notModifiedResponse },
  problems: ["RUN_NOT_FOUND", "WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { runId }, headers, store, api }) => {
    const plan = await planOfRun(api.ledger.store, await findRun(store, runId));
    const body = { ...plan, ...(await schemasOf(plan, api.workflows, api.ledger.store)) };
    const etag = etagOfBody(body);
    return matchesEtag(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});

/** Starting a run publishes its plan. Throws WORKFLOW_NOT_FOUND if the run came from elsewhere. */
async function planOfRun(store: FullStateStore, head: Parameters<typeof readHeader>[1]): Promise<Plan> {
  const { planId, planVersion } = await readHeader(store, head);
  const plan =
    planId === undefined || planVersion === undefined ? null : await store.plans.loadPlan({ planId, planVersion });
  if (plan !== null) return plan;
  throw new InputError(
    "WORKFLOW_NOT_FOUND",
    "runId",
    "names a run whose plan was not published, because another system created the run.",
  );
}
