/** Streams that survive lost connections. A new connection resumes after the last id that was received. */
import { omitUndefined } from "@runledger/contracts";
import { ProblemError } from "./problem-error.js";
import { anySignal, sleep } from "./retry.js";
import { readMessages, type SseMessage } from "./sse.js";
import type { ApiRequest, Transport } from "./transport.js";

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Called when the connection is lost and when it is established again. */
  readonly onConnection?: (state: "connected" | "lost") => void;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

export async function* reconnectingStream(
  transport: Transport,
  /** Called before each connection. */
  request: () => ApiRequest,
  { signal: callerSignal, onConnection = () => {} }: StreamOptions,
): AsyncGenerator<SseMessage> {
  const signal = anySignal(transport.signal, callerSignal);
  let lastId: string | undefined;
  let delayMs = FIRST_DELAY_MS;
  const isAborted = (): boolean => signal?.aborted ?? false;
  while (!isAborted()) {
    try {
      const headers = { accept: "text/event-stream", ...omitUndefined({ "last-event-id": lastId }) };
      const { body } = await transport.sendOnce({ ...request(), headers, signal });
      onConnection("connected");
      for await (const message of readMessages(body!)) {
        delayMs = FIRST_DELAY_MS;
        lastId = message.id ?? lastId;
        yield message;
      }
    } catch (error) {
      if (isAborted()) return;
      if (error instanceof ProblemError && error.family !== "retry") throw error;
    }
    onConnection("lost");
    await sleep(delayMs * (0.5 + Math.random() / 2), signal);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
}
