// @module-tag U-17
import { expect, test } from "vitest";
import { readMessages, type SseMessage } from "./sse.js";

const lines = [
  ": a comment",
  "id: 1",
  "event: caught-up",
  'data: {"name":"é €"}',
  "",
  "id: 2",
  "data: first",
  "data: second",
  "",
  "retry: 100",
  "event: ended",
  "data:",
  "data",
  "",
  "data: without an empty line after it",
];

const messages: SseMessage[] = [
  { id: "1", event: "caught-up", data: '{"name":"é €"}' },
  { id: "2", event: "message", data: "first\nsecond" },
  { id: undefined, event: "ended", data: "\n" },
];

async function readAll(chunks: readonly Uint8Array[]): Promise<SseMessage[]> {
  const read: SseMessage[] = [];
  for await (const message of readMessages(ReadableStream.from(chunks))) read.push(message);
  return read;
}

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
])(
  "a stream with %s line endings reads the same wherever its chunks are split",
  { tags: ["N-34"] },
  async (_, lineEnd) => {
    const bytes = new TextEncoder().encode(lines.join(lineEnd));
    for (let at = 0; at <= bytes.length; at++)
      expect(await readAll([bytes.subarray(0, at), bytes.subarray(at)]), `split at byte ${at}`).toEqual(messages);
    expect(await readAll(Array.from(bytes, (byte) => Uint8Array.of(byte))), "one byte per chunk").toEqual(messages);
  },
);

test("a reader that stops early cancels the body", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: again\n\n")),
    cancel: () => void (cancelled = true),
  });
  for await (const { data } of readMessages(body)) {
    expect(data).toBe("again");
    break;
  }
  expect(cancelled).toBe(true);
});
