import { InputError, type StepRow } from "@runledger/contracts";
import { toRunHeader } from "@runledger/core";
import { z } from "zod";
import { stateAt } from "../../projector/state-at.js";
import { ok, route } from "../http/define-route.js";
import { etagOf, etagOfBody, isKnown, notModified } from "../http/etag.js";
import { attemptEvents } from "../runs/attempt-events.js";
import { checkSeq } from "../runs/check-seq.js";
import { findRun } from "../runs/find-run.js";
import { planOfRun, schemasOf } from "../runs/read-plan.js";
import { readHeader, readStep, readSteps, stepsOf } from "../runs/read-run.js";
import { runPlan } from "../schemas/plan.js";
import { run } from "../schemas/run.js";
import { stepDetail, stepPage } from "../schemas/step.js";
import { identifier, wholeNumber } from "../schemas/values.js";

const byRun = z.object({ runId: identifier });
const atSeq = wholeNumber(1).optional().meta({ description: "As it was known at this seq. Default: as it is now" });
const unchanged = { 304: { description: "The caller has this already" } };

export const getRun = route({
  method: "GET",
  path: "/runs/{runId}",
  operationId: "getRun",
  tag: "runs",
  summary: "A run without its steps",
  role: "viewer",
  params: byRun,
  query: z.strictObject({ atSeq }),
  answers: { 200: { description: "The run", schema: run }, ...unchanged },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, headers, store, api }) => {
    const head = await findRun(store, runId);
    const seq = checkSeq(head, query.atSeq);
    const etag = etagOf(seq);
    if (isKnown(headers, etag)) return notModified(etag);
    if (seq === head.headSeq) return ok(await readHeader(api.ledger.store, head), { etag });
    return ok(toRunHeader(await stateAt(api.ledger.store, runId, seq)), { etag });
  },
});

export const getRunPlan = route({
  method: "GET",
  path: "/runs/{runId}/plan",
  operationId: "getRunPlan",
  tag: "runs",
  summary: "What a run follows: its steps as they were compiled, and what its input and signals look like",
  role: "viewer",
  params: byRun,
  answers: { 200: { description: "The plan", schema: runPlan }, ...unchanged },
  problems: ["RUN_NOT_FOUND", "WORKFLOW_NOT_FOUND"],
  handle: async ({ params: { runId }, headers, store, api }) => {
    const plan = await planOfRun(api.ledger.store, await findRun(store, runId));
    const body = { ...plan, ...(await schemasOf(plan, api.workflows, api.ledger.store)) };
    const etag = etagOfBody(body);
    return isKnown(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});

export const listSteps = route({
  method: "GET",
  path: "/runs/{runId}/steps",
  operationId: "listSteps",
  tag: "runs",
  summary: "The steps of a run, in the order in which they were first named",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    after: wholeNumber(0).optional().meta({ description: "The `next` of the page before" }),
    limit: wholeNumber(1, 1000).optional().meta({ description: "Default 200" }),
    atSeq,
  }),
  answers: { 200: { description: "A page of steps", schema: stepPage }, ...unchanged },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query: { after = -1, limit = 200, ...query }, headers, store, api }) => {
    const head = await findRun(store, runId);
    const seq = checkSeq(head, query.atSeq);
    const etag = etagOf(seq, after, limit);
    if (isKnown(headers, etag)) return notModified(etag);
    const asked = { afterOrdinal: after, limit: limit + 1 };
    const rows =
      seq === head.headSeq
        ? await readSteps(api.ledger.store, head, asked)
        : stepsOf(await stateAt(api.ledger.store, runId, seq), asked);
    return ok(pageOfSteps(rows, limit), { etag });
  },
});

export const getStep = route({
  method: "GET",
  path: "/runs/{runId}/steps/{stepId}",
  operationId: "getStep",
  tag: "runs",
  summary: "A step of a run and what happened in each of its attempts",
  role: "viewer",
  params: byRun.extend({ stepId: identifier }),
  answers: { 200: { description: "The step", schema: stepDetail }, ...unchanged },
  problems: ["RUN_NOT_FOUND", "STEP_NOT_FOUND"],
  handle: async ({ params: { runId, stepId }, headers, store, api }) => {
    const head = await findRun(store, runId);
    const etag = etagOf(head.headSeq);
    if (isKnown(headers, etag)) return notModified(etag);
    const row = await readStep(api.ledger.store, head, stepId);
    if (row === undefined)
      throw new InputError("STEP_NOT_FOUND", "stepId", `run ${runId} has no step ${stepId}, or it has not begun yet.`);
    return ok({ step: row, events: await attemptEvents(store, runId, row) }, { etag });
  },
});

/** One more than was asked for was read, to know whether there is a next page. */
function pageOfSteps(rows: readonly StepRow[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? String(items.at(-1)!.ordinal) : null };
}
