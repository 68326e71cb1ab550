import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { placeText, readPlace } from "../runs/log-place-text.js";
import { readLogs } from "../runs/read-logs.js";
import { readHeader } from "../runs/read-run.js";
import { logBatch, logPage, logsEnded } from "../schemas/log.js";
import { identifier, wholeNumber } from "../schemas/values.js";
import { streamLog } from "../streams/log-streams.js";

const byRun = z.object({ runId: identifier });
const place = z
  .string()
  .max(12_000)
  .regex(/^[\w-]+$/, "must be the `next` of the page before.");
const which = {
  stepId: identifier.optional(),
  attempt: wholeNumber(1, 1_000_000).optional(),
  after: place.optional().meta({ description: "The `next` of the page before" }),
};

export const listLogs = route({
  method: "GET",
  path: "/runs/{runId}/logs",
  operationId: "listLogs",
  tag: "runs",
  summary: "What the steps of a run have printed",
  description:
    "Ask again with `after` for what was added meanwhile, by any of its steps; a page may be a little longer than `limit`.",
  role: "viewer",
  params: byRun,
  query: z.strictObject({
    ...which,
    limit: wholeNumber(1, 5000).optional().meta({ description: "Default 1000" }),
  }),
  answers: { 200: { description: "A page of lines", schema: logPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, store }) => {
    await findRun(store, runId);
    const { stepId, attempt, after, limit = 1000 } = query;
    const from = readPlace(after);
    if (store.artifacts === undefined) return ok({ items: [], next: null });
    const page = await readLogs(store.artifacts, { runId, stepId, attempt }, { place: from, limit });
    return ok({ items: page.items, next: page.place === from ? (after ?? null) : placeText(page.place) });
  },
});

export const streamLogs = route({
  method: "GET",
  path: "/runs/{runId}/logs/stream",
  operationId: "streamLogs",
  tag: "runs",
  summary: "What the steps of a run have printed, and then what they print, as server-sent events",
  description:
    "Each message holds some lines; those of steps that run side by side come as they are printed. `Last-Event-ID`, or " +
    "`after`, goes on behind a message. `ended` says that the run has ended and everything was sent.",
  role: "viewer",
  params: byRun,
  query: z.strictObject(which),
  answers: {
    200: {
      description: "Lines, until the run has ended or either side has had enough",
      mediaType: "text/event-stream",
      messages: { message: logBatch, ended: logsEnded },
    },
  },
  problems: ["RUN_NOT_FOUND", "SERVER_BUSY"],
  handle: async ({ params: { runId }, query: { stepId, attempt, after }, headers, store, api }) => {
    await findRun(store, runId);
    const last = headers["last-event-id"];
    const from = typeof last === "string" && last !== "" ? last : after;
    readPlace(from);
    const { artifacts } = store;
    const status = async () => (await readHeader(api.ledger.store, await findRun(store, runId))).status;
    if (artifacts === undefined) return { stream: (connection) => connection.end() };
    const watched = { runId, stepId, attempt, artifacts, after: from, status };
    return {
      stream: (connection) =>
        void streamLog(watched, connection).catch((error: unknown) => {
          api.onError(error);
          connection.end(); // it connects again and goes on where it was
        }),
    };
  },
});
