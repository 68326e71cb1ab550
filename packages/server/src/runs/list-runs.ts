import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { etagOfBody, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { afterParam, limitParam, pageOf } from "../http/schemas.js";
import { filterQuery, toFilter } from "./run-filter.js";
import { runSummary } from "./run-summary.js";

const runPage = pageOf("RunPage", runSummary);

const listQuery = z.strictObject({
  ...filterQuery,
  after: z.string().min(1).max(500).optional().meta(afterParam),
  limit: limitParam(200, 50),
});

export const listRuns = route({
  method: "GET",
  path: "/runs",
  operationId: "listRuns",
  tag: "runs",
  summary: "List runs",
  description:
    "Returns runs, newest first. Runs that start in the meantime do not shift pages. A page may be shorter than `limit` " +
    "and still have a `next`. A new run appears in the list shortly after its start.",
  role: "viewer",
  query: listQuery,
  responses: { 200: { description: "A page of runs", schema: runPage }, ...notModifiedResponse },
  problems: [],
  handle: async ({ query: { after, limit, ...query }, headers, caller, api }) => {
    const filter = toFilter(caller.tenantId, query);
    const { runs, cursor } = await api.runLists.listRuns({ ...filter, ...omitUndefined({ cursor: after, limit }) });
    const body = { items: runs, next: cursor };
    const etag = etagOfBody(body);
    return matchesEtag(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});
