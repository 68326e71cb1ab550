import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { toKnown } from "../http/known-errors.js";
import { toProblem } from "../http/problems.js";
import { startRun } from "../runs/start-run.js";
import { startManyOutcome, startManyRequest } from "../schemas/run.js";

export const startRuns = route({
  method: "POST",
  path: "/runs/starts",
  operationId: "startRuns",
  tag: "runs",
  summary: "Start many runs",
  description:
    "Each start is one of its own, and answers for itself; together they take one request, and mostly one commit. It is " +
    "safe to repeat where each has a `requestId`.",
  role: "operator",
  body: startManyRequest,
  maxBodyBytes: 2 * 1024 * 1024,
  answers: { 200: { description: "What became of each", schema: startManyOutcome } },
  problems: ["PAYLOAD_TOO_LARGE"],
  handle: async ({ body, caller, requestId, api }) => {
    const one = (start: (typeof body.starts)[number]) =>
      startRun(api, caller, start).then(
        (run) => ({ run }),
        (error: unknown) => ({ problem: problemOf(api, error, requestId) }),
      );
    return ok({ outcomes: await Promise.all(body.starts.map(one)) });
  },
});

function problemOf(api: Api, thrown: unknown, requestId: string) {
  const { error, isFault } = toKnown(thrown);
  if (isFault) api.onError(thrown);
  return toProblem(error, requestId);
}
