import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { InputError } from "@runledger/contracts";
import { route } from "../http/define-route.js";
import { identifier, seqNumber, integerParam } from "../http/schemas.js";
import { event, payloads } from "./event-schema.js";
import { byRun, findRun } from "./find-run.js";

export const caughtUp = z
  .object({
    type: z.literal("caught-up").optional(),
    runId: identifier,
    headSeq: seqNumber,
    ended: z.boolean().meta({ description: "`true` if the run has finished." }),
  })
  .meta({ id: "CaughtUp", description: "All stored events have been sent." });

export const ended = z
  .object({ type: z.literal("ended").optional(), runId: identifier, runSeq: seqNumber })
  .meta({ id: "RunEnded", description: "The run has finished. It may be reopened later." });

const streamedEvent = event
  .extend({ type: z.literal("event") })
  .meta({ id: "StreamedEvent", description: "An event of a run's log, as a message of a stream." });

export const streamRun = route({
  method: "GET",
  path: "/runs/{runId}/stream",
  operationId: "streamRun",
  tag: "runs",
  summary: "Stream the events of a run",
  description:
    "Sends stored events and then new ones as server-sent events. Each message is an event with its `runSeq` as id; send " +
    "it as `Last-Event-ID` to resume. `caught-up` follows the last stored event, and `ended` follows the run's final event. " +
    "Each message has its `type` in the data: `event`, `caught-up` or `ended`. The stream stays open, because a run may be " +
    "reopened; with `until=ended` the server closes it after the run's final event.",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    after: integerParam(0)
      .optional()
      .meta({ description: "Only events with a higher seq. `Last-Event-ID` takes precedence." }),
    payloads,
    until: z.literal("ended").optional().meta({ description: "`ended` closes the stream once the run is finished." }),
  }),
  responses: {
    200: {
      description: "Events until the connection closes",
      mediaType: "text/event-stream",
      messages: { message: streamedEvent, "caught-up": caughtUp, ended },
    },
  },
  problems: ["RUN_NOT_FOUND", "SERVER_BUSY"],
  handle: async ({ params: { runId }, query, headers, caller, store, api }) => {
    const afterSeq = lastEventId(headers) ?? query.after ?? 0;
    await findRun(store, runId);
    const subscription = {
      runId,
      tenantId: caller.tenantId,
      afterSeq,
      payloads: query.payloads ?? true,
      ids: true,
      untilEnded: query.until === "ended",
    };
    return { stream: (connection) => api.runStreams.subscribe(subscription, connection) };
  },
});

/** Returns the last event that the reader received; `null` for a new reader. */
function lastEventId(headers: IncomingHttpHeaders): number | null {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return null;
  const seq = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : null;
  if (seq !== null) return seq;
  throw new InputError(
    "REQUEST_INVALID",
    "Last-Event-ID",
    "must be the runSeq of an event. Omit it to start from the first event.",
  );
}
