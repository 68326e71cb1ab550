import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { readQueue, readQueuedRun } from "../runs/read-queue.js";
import { queuedRun, queuePage, queueQuery } from "../schemas/queue.js";
import { identifier } from "../schemas/values.js";

export const listQueue = route({
  method: "GET",
  path: "/queue",
  operationId: "listQueue",
  tag: "queue",
  summary: "Runs that have not ended, and why those that do not run do not",
  role: "viewer",
  query: queueQuery,
  answers: { 200: { description: "A page of runs, by id", schema: queuePage } },
  problems: [],
  handle: async ({ query: { after, limit = 50 }, caller, api }) =>
    ok(await readQueue(api.ledger, { tenantId: caller.tenantId, after, limit })),
});

export const getQueuedRun = route({
  method: "GET",
  path: "/queue/{runId}",
  operationId: "getQueuedRun",
  tag: "queue",
  summary: "Why is this run queued?",
  description:
    "The limit, its value, who holds it, the position and the expected start; that it is paused, delayed, without a worker, " +
    "or what it waits for.",
  role: "viewer",
  params: z.object({ runId: identifier }),
  answers: { 200: { description: "How it stands", schema: queuedRun } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, caller, api }) => ok(await readQueuedRun(api.ledger, runId, caller.tenantId)),
});
