import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { caughtUp, ended, event, eventPage } from "../schemas/event.js";
import { flag, identifier, wholeNumber } from "../schemas/values.js";
import { withoutPayloads } from "../streams/without-payloads.js";
import { lastEventId } from "../http/last-event-id.js";

const byRun = z.object({ runId: identifier });
const payloads = flag.optional().meta({
  description: "false = without inputs, outputs, signal payloads, patches and state: what the fold needs is left",
});

export const listEvents = route({
  method: "GET",
  path: "/runs/{runId}/events",
  operationId: "listEvents",
  tag: "runs",
  summary: "The log of a run",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    after: wholeNumber(0).optional().meta({ description: "Only events with a higher seq. Default 0" }),
    limit: wholeNumber(1, 1000).optional().meta({ description: "Default 200" }),
    payloads,
  }),
  answers: { 200: { description: "A page of events", schema: eventPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, store }) => {
    const { after = 0, limit = 200 } = query;
    const { headSeq } = await findRun(store, runId);
    const events = await store.fetchEvents(runId, { afterSeq: after, limit });
    const last = events.at(-1)?.runSeq ?? headSeq;
    const items = query.payloads === false ? events.map(withoutPayloads) : events;
    return ok({ items, next: last < headSeq ? String(last) : null });
  },
});

export const streamRun = route({
  method: "GET",
  path: "/runs/{runId}/stream",
  operationId: "streamRun",
  tag: "runs",
  summary: "The log of a run, and then what is added to it, as server-sent events",
  description:
    "Each message is an event, its id the runSeq; `Last-Event-ID` goes on behind it. `caught-up` says that everything " +
    "that is stored has been sent, `ended` that the run has ended. The stream stays open: a run may be reopened.",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    after: wholeNumber(0)
      .optional()
      .meta({ description: "Only events with a higher seq; `Last-Event-ID` comes first" }),
    payloads,
  }),
  answers: {
    200: {
      description: "Events, until either side has had enough",
      mediaType: "text/event-stream",
      messages: { message: event, "caught-up": caughtUp, ended },
    },
  },
  problems: ["RUN_NOT_FOUND", "SERVER_BUSY"],
  handle: async ({ params: { runId }, query, headers, store, api }) => {
    const afterSeq = lastEventId(headers) ?? query.after ?? 0;
    await findRun(store, runId);
    const watched = { runId, afterSeq, payloads: query.payloads ?? true, ids: true };
    return { stream: (connection) => api.runStreams.watch(watched, connection) };
  },
});
