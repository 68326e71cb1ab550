import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Caller } from "../auth/caller.js";
import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { classifyError } from "../http/classify-error.js";
import { problem, toProblem } from "../http/problems.js";
import { startedRun, startRequest, startRequestedRun } from "./start-run.js";

/** Starts that are prepared without a break. */
const PART = 10;

const startManyRequest = z
  .strictObject({ starts: z.array(startRequest).min(1).max(100) })
  .meta({ id: "StartManyRequest", description: "Up to 100 runs to start." });

const startOutcome = z
  .object({ run: startedRun.optional(), problem: problem.optional() })
  .meta({ id: "StartOutcome", description: "The started run, or the problem that prevented it." });

const startManyOutcome = z
  .object({ outcomes: z.array(startOutcome).meta({ description: "One outcome per start, in the same order." }) })
  .meta({ id: "StartManyOutcome", description: "Outcomes of several starts." });

export const startRuns = route({
  method: "POST",
  path: "/runs/starts",
  operationId: "startRuns",
  tag: "runs",
  summary: "Start many runs",
  description:
    "Starts up to 100 runs in one request, and usually in few commits. Each start succeeds or fails on its own. The call is " +
    "safe to repeat if each start has a `requestId`.",
  role: "operator",
  body: startManyRequest,
  maxBodyBytes: 2 * 1024 * 1024,
  responses: { 200: { description: "The outcome of each start", schema: startManyOutcome } },
  problems: ["PAYLOAD_TOO_LARGE"],
  handle: async ({ body, headers, caller, requestId, api, quota }) => {
    quota.countStarts(body.starts.length);
    const startAll = () =>
      startInParts(body.starts, (start) => startOne(api, caller, { ...start, headers }, requestId));
    return ok({ outcomes: await api.readQueue.take(caller.tenantId, startAll) });
  },
});

type StartRequest = z.output<typeof startRequest>;
type TracedRequest = Parameters<typeof startRequestedRun>[2];
type StartOutcome = z.input<typeof startOutcome>;

/** Serves other callers between the parts, because preparing a start takes time. */
async function startInParts(
  starts: readonly StartRequest[],
  start: (request: StartRequest) => Promise<StartOutcome>,
): Promise<StartOutcome[]> {
  const outcomes: Promise<StartOutcome>[] = [];
  for (let from = 0; from < starts.length; from += PART) {
    if (from > 0) await nextTurn();
    outcomes.push(...starts.slice(from, from + PART).map(start));
  }
  return Promise.all(outcomes);
}

async function startOne(api: Api, caller: Caller, start: TracedRequest, requestId: string): Promise<StartOutcome> {
  try {
    return { run: await startRequestedRun(api, caller, start) };
  } catch (error) {
    return { problem: problemOf(api, error, requestId) };
  }
}

function problemOf(api: Api, thrown: unknown, requestId: string) {
  const { error, isFault } = classifyError(thrown);
  if (isFault) api.onError(thrown);
  return toProblem(error, requestId);
}
