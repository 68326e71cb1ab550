import { createParser, type EventSourceMessage } from "eventsource-parser";

export interface SseMessage {
  readonly id: string | undefined;
  /** `message` if the server did not name the event. */
  readonly event: string;
  readonly data: string;
}

/** Yields the server-sent events of a response body. Cancels the body when the caller stops reading. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const received: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => received.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      for (const { id, event = "message", data } of received.splice(0)) yield { id, event, data };
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
