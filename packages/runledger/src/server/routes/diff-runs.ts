import { ok, route } from "../http/define-route.js";
import { diffRuns as compare } from "../runs/diff-runs.js";
import { findRun } from "../runs/find-run.js";
import { diffParams, diffQuery, runDiff } from "../schemas/diff.js";

export const diffRuns = route({
  method: "GET",
  path: "/runs/{runId}/diff/{otherRunId}",
  operationId: "diffRuns",
  tag: "runs",
  summary: "Two runs side by side: their steps aligned, outcomes and durations, and where they part",
  role: "viewer",
  params: diffParams,
  query: diffQuery,
  answers: { 200: { description: "The comparison, and a page of its rows", schema: runDiff } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId, otherRunId }, query: { after = 0, limit = 500 }, store, api }) => {
    const heads = [await findRun(store, runId), await findRun(store, otherRunId)] as const;
    const { rows, ...found } = await compare(api.ledger.store, store, heads);
    const end = after + limit;
    return ok({ ...found, items: rows.slice(after, end), next: end < rows.length ? String(end) : null });
  },
});
