/** Server-sent events out of a response's body, as the standard reads them. */
export interface SseMessage {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  let message: { id?: string; event: string; data: string[] } = { event: "message", data: [] };
  for await (const line of readLines(body)) {
    if (line === "") {
      if (message.data.length > 0) yield { id: message.id, event: message.event, data: message.data.join("\n") };
      message = { event: "message", data: [] };
      continue;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (field === "data") message.data.push(value!);
    else if (field === "id") message.id = value!;
    else if (field === "event") message.event = value!;
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split(/\r\n|\n|\r/);
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {}); // whoever stops reading hangs up
  }
}
