import { InputError, RunNotFoundError } from "@runledger/contracts";
import { route } from "../http/define-route.js";
import { toProblem } from "../http/problems.js";
import { toFilter } from "../runs/run-filter.js";
import { caughtUp, ended, event } from "../schemas/event.js";
import { refusedRun, watchedChange, watchedSnapshot, watchRequest } from "../schemas/watch.js";
import { frame } from "../streams/sse-connection.js";

export const watch = route({
  method: "POST",
  path: "/stream",
  operationId: "watch",
  tag: "runs",
  summary: "Several runs and lists in one stream of server-sent events",
  description:
    "Each message is an event of one of the runs, in the run's order; `caught-up` and `ended` say of which run they " +
    "speak. A run that the caller does not have is `refused`, and the others go on. `snapshot` and `change` are those of " +
    "`GET /stream`, with the list's name and `place`. Whoever loses the connection asks again with the last runSeq of " +
    "each run and the last place of each list: nothing is lost, and nothing comes twice.",
  role: "viewer",
  body: watchRequest,
  answers: {
    200: {
      description: "Messages, until either side has had enough",
      mediaType: "text/event-stream",
      messages: {
        message: event,
        "caught-up": caughtUp,
        ended,
        refused: refusedRun,
        snapshot: watchedSnapshot,
        change: watchedChange,
      },
    },
  },
  problems: ["SERVER_BUSY"],
  handle: async ({ body: { runs = {}, lists = {}, payloads = true }, caller, requestId, store, api }) => {
    const runIds = Object.keys(runs);
    if (runIds.length + Object.keys(lists).length === 0)
      throw new InputError("REQUEST_INVALID", "body.runs", "say what to watch: runs, lists or both.");
    const own = new Set((await store.fetchHeads(runIds)).map(({ runId }) => runId));
    const refusal = (runId: string) => ({ runId, problem: toProblem(new RunNotFoundError(runId), requestId) });
    return {
      stream: (connection) => {
        for (const [runId, afterSeq] of Object.entries(runs))
          if (own.has(runId)) api.runStreams.watch({ runId, afterSeq, payloads, ids: false }, connection);
          else connection.send(frame({ event: "refused", data: refusal(runId) }));
        for (const [list, { filter = {}, after = null }] of Object.entries(lists))
          api.listStreams.watch({ filter: toFilter(caller.tenantId, filter), after, list }, connection);
      },
    };
  },
});
