import { z } from "zod";
import { omitUndefined, type QueueEntry } from "@runledger/contracts";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { QueueAnswer } from "@runledger/runtime/queue/ledger-queue";
import type { Caller } from "../auth/caller.js";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, limitParam, pageOf } from "../http/schemas.js";
import { ownRuns, queuedRun, toQueuedRun } from "./get-queued-run.js";

const queueCounts = z
  .object({
    queued: z.int().meta({ description: "Runs that have not started." }),
    running: z.int(),
    waiting: z.int().meta({ description: "Started runs that wait without a slot." }),
  })
  .meta({ id: "QueueCounts", description: "Open runs of the caller's tenant." });

const queuePage = pageOf("QueuePage", queuedRun).extend({ counts: queueCounts }).meta({ id: "QueuePage" });

const queueQuery = z.strictObject({
  after: identifier.optional().meta(afterParam),
  limit: limitParam(100, 50),
});

export const listQueue = route({
  method: "GET",
  path: "/queue",
  operationId: "listQueue",
  tag: "queue",
  summary: "List open runs",
  description: "Returns unfinished runs by id, with the reasons why they do not run.",
  role: "viewer",
  query: queueQuery,
  responses: { 200: { description: "A page of runs", schema: queuePage } },
  problems: [],
  handle: async ({ query: { after, limit = 50 }, caller, api }) =>
    ok(await readQueue(api.ledger, { caller, after, limit })),
});

interface PageParams {
  readonly caller: Caller;
  readonly after: string | undefined;
  readonly limit: number;
}

async function readQueue(ledger: Ledger, { caller, after, limit }: PageParams) {
  const { tenantId } = caller;
  const cursor = omitUndefined({ afterRunId: after });
  const entries = await ledger.queue.list({ tenantId, ...cursor, limit: limit + 1 });
  const page = entries.slice(0, limit);
  const explained = await Promise.all(page.map((entry) => explainRun(ledger, entry, caller)));
  const counts = (await ledger.queue.counts()).find((each) => each.tenantId === tenantId);
  const { queued, running, waiting } = counts ?? { queued: 0, running: 0, waiting: 0 };
  return {
    items: explained.filter(({ where }) => where !== "ended").map((answer) => toQueuedRun(answer, caller)),
    next: entries.length > limit ? page.at(-1)!.runId : null,
    counts: { queued, running, waiting },
  };
}

/** Skips the search for reasons if a worker has the run. */
async function explainRun(ledger: Ledger, entry: QueueEntry, caller: Caller): Promise<QueueAnswer> {
  const { runId, owner, slot } = entry;
  if (owner === null) return ledger.queue.why(runId, ownRuns(caller));
  return { runId, where: slot ? "running" : "answering", reasons: [], position: null, expectedAt: null, entry };
}
