/** A stream that outlives its connections: it goes on behind the last id that it has seen. */
import { either, pause } from "./patience.js";
import { ProblemError } from "./problem-error.js";
import { readMessages, type SseMessage } from "./sse.js";
import type { ApiRequest, Transport } from "./transport.js";

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Told when the connection is lost, and when it is there again. */
  readonly onConnection?: (state: "connected" | "lost") => void;
}

const FIRST_DELAY_MS = 250;
const MOST_DELAY_MS = 10_000;

export async function* reconnecting(
  transport: Transport,
  /** Asked before each connection. */
  request: () => ApiRequest,
  { signal: enough, onConnection = () => {} }: StreamOptions,
): AsyncGenerator<SseMessage> {
  const signal = either(transport.signal, enough);
  let lastId: string | undefined;
  let delayMs = FIRST_DELAY_MS;
  const hasEnough = (): boolean => signal?.aborted ?? false;
  while (!hasEnough()) {
    try {
      const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
      const { body } = await transport.once({ ...request(), headers, signal });
      onConnection("connected");
      for await (const message of readMessages(body!)) {
        delayMs = FIRST_DELAY_MS;
        lastId = message.id ?? lastId;
        yield message;
      }
    } catch (error) {
      if (hasEnough()) return;
      if (error instanceof ProblemError && error.family !== "retry") throw error;
    }
    onConnection("lost");
    await pause(delayMs * (0.5 + Math.random() / 2), signal);
    delayMs = Math.min(delayMs * 2, MOST_DELAY_MS);
  }
}
