import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { countQuery, toFilter } from "./run-filter.js";
import { runCounts } from "./run-summary.js";

export const countRuns = route({
  method: "GET",
  path: "/run-counts",
  operationId: "countRuns",
  tag: "runs",
  summary: "Count runs by status",
  role: "viewer",
  query: z.strictObject(countQuery),
  responses: { 200: { description: "Number of runs by status", schema: runCounts } },
  problems: [],
  handle: async ({ query, caller, api }) =>
    ok(await api.ledger.store.index.countRuns(toFilter(caller.tenantId, query))),
});
