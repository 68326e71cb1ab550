import { z } from "zod";
import { stateAt } from "../../projector/state-at.js";
import { ok, route } from "../http/define-route.js";
import { etagOf, isKnown, notModified } from "../http/etag.js";
import { checkSeq } from "../runs/check-seq.js";
import { findRun } from "../runs/find-run.js";
import { landmarkEvents } from "../runs/landmark-events.js";
import { outlineOf } from "../runs/outline.js";
import { runOutline } from "../schemas/outline.js";
import { identifier, wholeNumber } from "../schemas/values.js";

export const getRunOutline = route({
  method: "GET",
  path: "/runs/{runId}/outline",
  operationId: "getRunOutline",
  tag: "runs",
  summary: "A run of any size: its outermost steps, and the steps inside them as numbers",
  role: "viewer",
  params: z.object({ runId: identifier }),
  query: z.strictObject({
    atSeq: wholeNumber(1).optional().meta({ description: "As it was known at this seq. Default: as it is now" }),
  }),
  answers: {
    200: { description: "The outline", schema: runOutline },
    304: { description: "The caller has this already" },
  },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, headers, store, api }) => {
    const seq = checkSeq(await findRun(store, runId), query.atSeq);
    const etag = etagOf(seq);
    if (isKnown(headers, etag)) return notModified(etag);
    const state = await stateAt(api.ledger.store, runId, seq);
    return ok({ ...outlineOf(state), landmarks: await landmarkEvents(store, state) }, { etag });
  },
});
