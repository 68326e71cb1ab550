import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { readLogs } from "../runs/read-logs.js";
import { logPage } from "../schemas/log.js";
import { identifier, wholeNumber } from "../schemas/values.js";

export const listLogs = route({
  method: "GET",
  path: "/runs/{runId}/logs",
  operationId: "listLogs",
  tag: "runs",
  summary: "What the steps of a run have printed",
  description: "Ask again with `after` for what was added meanwhile; a page may be a little longer than `limit`.",
  role: "viewer",
  params: z.object({ runId: identifier }),
  query: z.strictObject({
    stepId: identifier.optional(),
    attempt: wholeNumber(1, 1_000_000).optional(),
    after: z
      .string()
      .max(1000)
      .regex(/^.+#\d{1,9}$/, "must be the `next` of the page before.")
      .optional(),
    limit: wholeNumber(1, 5000).optional().meta({ description: "Default 1000" }),
  }),
  answers: { 200: { description: "A page of lines", schema: logPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, store }) => {
    await findRun(store, runId);
    if (store.artifacts === undefined) return ok({ items: [], next: null });
    const { stepId, attempt, after, limit = 1000 } = query;
    const page = await readLogs(store.artifacts, { runId, stepId, attempt, after, limit });
    return ok({ ...page, next: page.next ?? after ?? null });
  },
});
