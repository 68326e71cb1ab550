import { z } from "zod";
import { route } from "../http/define-route.js";
import { streamQuery, toFilter } from "./run-filter.js";
import { runSummary } from "./run-summary.js";

export const listSnapshot = z
  .object({ runs: z.array(runSummary) })
  .meta({ id: "RunListSnapshot", description: "The newest 100 runs of the list." });

export const listChange = z
  .object({ runs: z.array(runSummary), gone: z.array(z.string()) })
  .meta({ id: "RunListChange", description: "Runs that are new or changed, and ids of runs that left the list." });

export const streamRuns = route({
  method: "GET",
  path: "/stream",
  operationId: "streamRuns",
  tag: "runs",
  summary: "Stream changes of a run list",
  description:
    "Sends a `snapshot` with the newest 100 runs, and then messages with `runs` that are new or changed and ids of runs " +
    "that are `gone` from the list. Send the id of the last message as `Last-Event-ID` to resume. The stream starts with " +
    "a new snapshot if too many changes were missed.",
  role: "viewer",
  query: streamQuery,
  responses: {
    200: {
      description: "Changes until the connection closes",
      mediaType: "text/event-stream",
      messages: { snapshot: listSnapshot, message: listChange },
    },
  },
  problems: ["SERVER_BUSY"],
  handle: async ({ query, headers, caller, api }) => {
    const filter = toFilter(caller.tenantId, query);
    const lastEventId = headers["last-event-id"];
    const after = typeof lastEventId === "string" ? lastEventId : null;
    return { stream: (connection) => api.listStreams.subscribe({ filter, after, list: null }, connection) };
  },
});
