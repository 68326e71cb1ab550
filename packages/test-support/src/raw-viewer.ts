/** A reader of a stream below fetch, so that it can stop reading. */
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { TOKEN } from "./test-server.js";

export interface RawViewer {
  readonly socket: Socket;
  /** Everything that has come. */
  text(): string;
}

export interface ViewerOptions {
  /** Makes it a POST. */
  readonly body?: unknown;
  readonly lastEventId?: string;
}

/** `path` is below /api/v1. */
export async function rawViewer(
  url: string,
  path: string,
  { body, lastEventId }: ViewerOptions = {},
): Promise<RawViewer> {
  const { port, host } = new URL(url);
  let text = "";
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened: Socket = connect(Number(port), "127.0.0.1", () => resolve(opened)).on("error", reject);
  });
  socket.on("error", () => {}).on("data", (part) => (text += String(part)));
  onTestFinished(() => void socket.destroy());
  const content = body === undefined ? "" : JSON.stringify(body);
  const ofContent = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(content)}\r\n`;
  const place = lastEventId === undefined ? "" : `last-event-id: ${lastEventId}\r\n`;
  socket.write(
    `${body === undefined ? "GET" : "POST"} /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\n` +
      `authorization: Bearer ${TOKEN}\r\n${place}${body === undefined ? "" : ofContent}\r\n${content}`,
  );
  return { socket, text: () => text };
}
