import { z } from "zod";
import { InputError, RunNotFoundError } from "@runledger/contracts";
import { route } from "../http/define-route.js";
import { problem, toProblem } from "../http/problems.js";
import { identifier, seqNumber } from "../http/schemas.js";
import { encodeMessage } from "../streams/sse-connection.js";
import { event } from "./event-schema.js";
import { bulkFilter, toFilter } from "./run-filter.js";
import { caughtUp, ended } from "./stream-run.js";
import { listChange, listSnapshot } from "./stream-runs.js";

const MAX_RUNS = 50;
const MAX_LISTS = 20;
const MAX_CURSOR_LENGTH = 100;

/** Limits the subscriptions of one stream, and so its unsent data. */
function atMost<T extends z.ZodRecord>(max: number, noun: string, record: T) {
  const message = `must have at most ${max} ${noun}. Open another stream for more.`;
  return record.refine((value) => Object.keys(value).length <= max, message).meta({ maxProperties: max });
}

const watchedList = z.strictObject({
  filter: bulkFilter.optional().meta({ description: "Selects the runs of the list. Defaults to all runs." }),
  after: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .optional()
    .meta({ description: "The `place` of the list's last message, to resume after it." }),
});

const watchRequest = z
  .strictObject({
    runs: atMost(MAX_RUNS, "runs", z.record(identifier, seqNumber))
      .optional()
      .meta({ description: "Runs by id, each with the seq after which to start; 0 for all events." }),
    lists: atMost(MAX_LISTS, "lists", z.record(identifier, watchedList))
      .optional()
      .meta({ description: "Lists by a name of your choice, which their messages repeat." }),
    payloads: z.boolean().optional().meta({
      description: "`false` to omit inputs, outputs, signal payloads, patches and state. Defaults to `true`.",
    }),
  })
  .meta({ id: "WatchRequest", description: "Runs and lists to watch." });

const listFields = {
  list: z.string().meta({ description: "Name of the list in the request." }),
  place: z.string().meta({ description: "Value of `after` to resume after this message." }),
};

const watchedSnapshot = listSnapshot
  .extend(listFields)
  .meta({ id: "WatchedListSnapshot", description: "The newest 100 runs of a watched list." });

const watchedChange = listChange
  .extend(listFields)
  .meta({ id: "WatchedListChange", description: "Changes of a watched list." });

const refusedRun = z
  .object({ runId: z.string(), problem })
  .meta({ id: "RefusedRun", description: "A run that the caller cannot watch. The stream continues with the others." });

export const watch = route({
  method: "POST",
  path: "/stream",
  operationId: "watch",
  tag: "runs",
  summary: "Watch several runs and lists",
  description:
    "Streams several runs and lists as server-sent events. Messages without a name are events of the runs, in order per " +
    "run. `caught-up` and `ended` name their run. `refused` names a run that the caller cannot watch; the others continue. " +
    "`snapshot` and `change` are those of `GET /stream` with the list's name and `place`. To resume without loss or " +
    "repetition, send the last `runSeq` of each run and the last `place` of each list.",
  role: "viewer",
  body: watchRequest,
  responses: {
    200: {
      description: "Messages until the connection closes",
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
      throw new InputError("REQUEST_INVALID", "body.runs", "is missing. Name runs, lists or both.");
    const { tenantId } = caller;
    const own = new Set((await store.fetchHeads(runIds)).map(({ runId }) => runId));
    const refusal = (runId: string) => ({ runId, problem: toProblem(new RunNotFoundError(runId), requestId) });
    return {
      stream: (connection) => {
        for (const [runId, afterSeq] of Object.entries(runs))
          if (own.has(runId)) api.runStreams.subscribe({ runId, tenantId, afterSeq, payloads, ids: false }, connection);
          else connection.send(encodeMessage({ event: "refused", data: refusal(runId) }));
        for (const [list, { filter = {}, after = null }] of Object.entries(lists))
          api.listStreams.subscribe({ filter: toFilter(tenantId, filter), after, list }, connection);
      },
    };
  },
});
