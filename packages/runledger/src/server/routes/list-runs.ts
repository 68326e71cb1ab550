import { z } from "zod";
import { present } from "../../workflow/present.js";
import { ok, route } from "../http/define-route.js";
import { etagOfBody, isKnown, notModified } from "../http/etag.js";
import { toFilter } from "../runs/run-filter.js";
import {
  countQuery,
  listChange,
  listSnapshot,
  histogram,
  histogramQuery,
  listQuery,
  runCounts,
  runPage,
  streamQuery,
} from "../schemas/run-list.js";

export const listRuns = route({
  method: "GET",
  path: "/runs",
  operationId: "listRuns",
  tag: "runs",
  summary: "Runs, newest first",
  description:
    "Pages are stable: runs that are started meanwhile do not move them. A page may be short and still have a `next`. A " +
    "run is found a moment after it was started.",
  role: "viewer",
  query: listQuery,
  answers: {
    200: { description: "A page of runs", schema: runPage },
    304: { description: "The caller has this already" },
  },
  problems: [],
  handle: async ({ query: { after, limit, ...query }, headers, caller, api }) => {
    const filter = toFilter(caller.tenantId, query);
    const { runs, cursor } = await api.runLists.listRuns({ ...filter, ...present({ cursor: after, limit }) });
    const body = { items: runs, next: cursor };
    const etag = etagOfBody(body);
    return isKnown(headers, etag) ? notModified(etag) : ok(body, { etag });
  },
});

export const countRuns = route({
  method: "GET",
  path: "/run-counts",
  operationId: "countRuns",
  tag: "runs",
  summary: "How many runs there are of each status",
  role: "viewer",
  query: z.strictObject(countQuery),
  answers: { 200: { description: "The counts", schema: runCounts } },
  problems: [],
  handle: async ({ query, caller, api }) =>
    ok(await api.ledger.store.index.countRuns(toFilter(caller.tenantId, query))),
});

export const runHistogram = route({
  method: "GET",
  path: "/run-histogram",
  operationId: "runHistogram",
  tag: "runs",
  summary: "How many runs were created when, by the status that they have now",
  description: "At most 1,000 bars; bars without runs are left out.",
  role: "viewer",
  query: histogramQuery,
  answers: { 200: { description: "The bars, ascending", schema: histogram } },
  problems: ["OPTION_INVALID"],
  handle: async ({ query: { from, to, bucket, ...query }, caller, api }) => {
    const filter = toFilter(caller.tenantId, query);
    return ok({ bars: await api.ledger.store.index.histogram({ ...filter, from, to, bucket }) });
  },
});

export const streamRuns = route({
  method: "GET",
  path: "/stream",
  operationId: "streamRuns",
  tag: "runs",
  summary: "The newest runs, and then what changes among them, as server-sent events",
  description:
    "First a `snapshot` with the newest 100 runs, then messages with `runs` that are new or have changed and ids of those " +
    "that are `gone` from the list. `Last-Event-ID` goes on where a connection was lost, with a snapshot where too much " +
    "has happened since.",
  role: "viewer",
  query: streamQuery,
  answers: {
    200: {
      description: "Runs, until either side has had enough",
      mediaType: "text/event-stream",
      messages: { snapshot: listSnapshot, message: listChange },
    },
  },
  problems: ["SERVER_BUSY"],
  handle: async ({ query, headers, caller, api }) => {
    const filter = toFilter(caller.tenantId, query);
    const lastEventId = headers["last-event-id"];
    const after = typeof lastEventId === "string" ? lastEventId : null;
    return { stream: (connection) => api.listStreams.watch({ filter, after, list: null }, connection) };
  },
});
