/** Streams log lines as steps write them. Each reader polls on its own, less often while no lines arrive. */
import { z } from "zod";
import type { Artifacts } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { readLogs, type LogQuery } from "@runledger/runtime/logs/read-logs";
import { readHeader } from "@runledger/runtime/runs/read-run";
import { PollLoop } from "@runledger/runtime/time/poll-loop";
import { realTimers } from "@runledger/runtime/time/timers";
import { route } from "../http/define-route.js";
import { byRun, findRun } from "../runs/find-run.js";
import { encodeMessage, type SseConnection } from "../streams/sse-connection.js";
import { decodeCursor, encodeCursor } from "./log-cursor-text.js";
import { logFilter, logLine } from "./log-schema.js";

const logBatch = z.object({ lines: z.array(logLine) }).meta({ id: "LogBatch", description: "New log lines." });

const logsEnded = z
  .object({})
  .meta({ id: "LogsEnded", description: "The run has finished and all of its lines were sent." });

export const streamLogs = route({
  method: "GET",
  path: "/runs/{runId}/logs/stream",
  operationId: "streamLogs",
  tag: "runs",
  summary: "Stream the log lines of a run",
  description:
    "Sends existing lines and then new ones as server-sent events. A message contains several lines; lines of parallel " +
    "steps are interleaved. Send the id of the last message as `Last-Event-ID` or `after` to resume. `ended` marks the end: " +
    "the run has finished and all of its lines were sent.",
  role: "viewer",
  params: byRun,
  query: z.strictObject(logFilter),
  responses: {
    200: {
      description: "Log lines until the run finishes or the connection closes",
      mediaType: "text/event-stream",
      messages: { message: logBatch, ended: logsEnded },
    },
  },
  problems: ["RUN_NOT_FOUND", "SERVER_BUSY"],
  handle: async ({ params: { runId }, query: { stepId, attempt, after }, headers, store, api }) => {
    await findRun(store, runId);
    const lastEventId = headers["last-event-id"];
    const cursorText = typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : after;
    const cursor = decodeCursor(cursorText);
    const { artifacts } = store;
    const status = async () => (await readHeader(api.ledger.store, await findRun(store, runId))).status;
    if (artifacts === undefined) return { stream: (connection) => connection.end() };
    return {
      stream: (connection) =>
        sendLogs({ runId, stepId, attempt, artifacts, cursor, status }, connection, (error) => {
          api.onError(error);
          connection.end(); // the client reconnects and resumes after its last message
        }),
    };
  },
});

const PAGE_SIZE = 500;
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2000;

interface LogStreamParams extends LogQuery {
  readonly artifacts: Artifacts;
  readonly cursor: ReturnType<typeof decodeCursor>;
  /** Reads the run's current status. */
  readonly status: () => Promise<Parameters<typeof isTerminal>[0]>;
}

/** Sends lines after the cursor until the run has finished and all of its lines were sent. */
function sendLogs(
  { artifacts, status, ...params }: LogStreamParams,
  connection: SseConnection,
  onFault: (error: unknown) => void,
): void {
  let { cursor } = params;
  let [pauseMs, isFinished] = [MIN_PAUSE_MS, false];
  const round = async (): Promise<number | "again"> => {
    const page = await readLogs(artifacts, params, { cursor, limit: PAGE_SIZE });
    cursor = page.cursor;
    if (page.items.length > 0) {
      // One message has one id: a client that reconnects never receives part of it again.
      connection.send(encodeMessage({ id: encodeCursor(cursor), data: { lines: page.items } }));
      await connection.waitUntilDrained();
      pauseMs = MIN_PAUSE_MS;
      return "again";
    }
    if (isFinished) sendEnd(connection);
    else isFinished = isTerminal(await status()); // one more read gets lines that were written before the end
    const nextMs = pauseMs;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    return nextMs;
  };
  const isDone = (): boolean => !connection.isOpen;
  const loop = new PollLoop({ timers: realTimers, everyMs: MAX_PAUSE_MS, round, isDone, onFault }).start();
  connection.onClose(() => loop.notify());
}

function sendEnd(connection: SseConnection): void {
  connection.send(encodeMessage({ event: "ended", data: {} }));
  connection.end();
}
