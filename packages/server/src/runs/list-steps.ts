import { z } from "zod";
import type { StepRow } from "@runledger/contracts";
import { stateAt } from "@runledger/runtime/projector/state-at";
import { stepsOf } from "@runledger/runtime/runs/read-run";
import { ok, route } from "../http/define-route.js";
import { etagHeader, etagOf, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { afterParam, integerParam, limitParam, pageOf } from "../http/schemas.js";
import { atSeq, byRun, checkSeq } from "./find-run.js";
import { step } from "./step-schema.js";

/** Stores keep the position of a step as an integer of 32 bits. */
const MAX_ORDINAL = 2 ** 31 - 1;

const stepPage = pageOf("StepPage", step);

export const listSteps = route({
  method: "GET",
  path: "/runs/{runId}/steps",
  operationId: "listSteps",
  tag: "runs",
  summary: "List the steps of a run",
  description: "Returns steps in the order in which the log first names them.",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    after: integerParam(0, MAX_ORDINAL).optional().meta(afterParam),
    limit: limitParam(1000, 200),
    atSeq,
  }),
  responses: { 200: { description: "A page of steps", schema: stepPage }, ...notModifiedResponse },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query: { after = -1, limit = 200, ...query }, headers, store, api }) => {
    const head = await api.cachedRuns.findRun(store, runId);
    const seq = checkSeq(head, query.atSeq);
    const etag = etagOf(api.ledger.store, seq, after, limit);
    if (matchesEtag(headers, etag)) return notModified(etag);
    const range = { afterOrdinal: after, limit: limit + 1 };
    const rows =
      seq === head.headSeq
        ? await api.cachedRuns.readSteps(head, range)
        : stepsOf(await stateAt(api.ledger.store, runId, seq), range);
    return ok(pageOfSteps(rows, limit), etagHeader(etag));
  },
});

/** `rows` has one extra row if there is a next page. */
function pageOfSteps(rows: readonly StepRow[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? String(items.at(-1)!.ordinal) : null };
}
