// @module-tag H-20
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Session } from "./session.js";
import { encode, framed } from "./wire.js";

const GREETING = framed(encode([{ int: 0 }, { int: 10_000 }, { long: 1n }, { bytes: Buffer.alloc(16) }]));
const NEGATIVE = encode([{ int: -5 }, { long: 0n }]);
const SHORT = framed(encode([{ int: 0 }]));
const OUTSIDE = /out of range|outside buffer bounds/;

/** Sends one answer to each message. */
async function serverOf(...answers: readonly Buffer[]): Promise<number> {
  const left = [...answers];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.on("data", () => socket.write(left.shift() ?? ""));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const opened = async (...answers: readonly Buffer[]): Promise<Session> =>
  Session.open({ host: "127.0.0.1", port: await serverOf(...answers), timeoutMs: 10_000, digest: null });

test.each([
  ["too few bytes", SHORT, OUTSIDE],
  ["a negative length", NEGATIVE, "-5 bytes"],
])("an answer with %s loses the session, and not the process", async (_, answer, message) => {
  const session = await opened(GREETING, answer);
  await expect(session.request(3, [{ text: "/" }, { flag: false }])).rejects.toThrow(message);
  expect(session.isLost).toBe(true);
});

test.each([
  ["too few bytes", SHORT, OUTSIDE],
  ["a negative length", NEGATIVE, "-5 bytes"],
])("a session does not start after a greeting with %s", async (_, greeting, message) => {
  await expect(opened(greeting)).rejects.toThrow(message);
});
