import { z } from "zod";
import { readLogs } from "@runledger/runtime/logs/read-logs";
import { ok, route } from "../http/define-route.js";
import { limitParam, pageOf } from "../http/schemas.js";
import { byRun, findRun } from "../runs/find-run.js";
import { decodeCursor, encodeCursor } from "./log-cursor-text.js";
import { logFilter, logLine } from "./log-schema.js";

const logPage = pageOf("LogPage", logLine);

export const listLogs = route({
  method: "GET",
  path: "/runs/{runId}/logs",
  operationId: "listLogs",
  tag: "runs",
  summary: "List the log lines of a run",
  description:
    "Returns the output of the run's steps. Pass `next` as `after` to poll for new lines of any step. A page may be slightly longer than `limit`.",
  role: "viewer",
  isLargeRead: true,
  params: byRun,
  query: z.strictObject({
    ...logFilter,
    limit: limitParam(5000, 1000),
  }),
  responses: { 200: { description: "A page of log lines", schema: logPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, store }) => {
    await findRun(store, runId);
    const { stepId, attempt, after, limit = 1000 } = query;
    const cursor = decodeCursor(after);
    if (store.artifacts === undefined) return ok({ items: [], next: null });
    const page = await readLogs(store.artifacts, { runId, stepId, attempt }, { cursor, limit });
    return ok({ items: page.items, next: page.cursor === cursor ? (after ?? null) : encodeCursor(page.cursor) });
  },
});
