// @module-tag T-01
/** The connection of a worker to Temporal Cloud: encrypted, and with the API key in every call. */
import { createServer as createHttp2Server, type IncomingHttpHeaders } from "node:http2";
import { createServer, type AddressInfo, type Server } from "node:net";
import { startRunledger } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { temporalProject } from "./temporal-project.js";

const KEY = { RUNLEDGER_TEMPORAL_API_KEY: "key-of-the-test" };
/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16;

async function listen(server: Pick<Server, "listen" | "address" | "close">): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a worker with an API key connects with TLS", async () => {
  const firstBytes: (number | undefined)[] = [];
  const server = createServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", (data) => {
        firstBytes.push(data[0]);
        socket.destroy();
      });
  });
  const project = await temporalProject("secure", { address: await listen(server) });
  startRunledger({ ...project, env: { ...project.env, ...KEY } }, "worker");
  await until(() => firstBytes.length > 0);
  expect(firstBytes[0]).toBe(HANDSHAKE);
});

test("a worker sends its API key with each call", async () => {
  const calls: IncomingHttpHeaders[] = [];
  const server = createHttp2Server();
  server.on("stream", (stream, headers) => {
    calls.push(headers);
    stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "16" }, { endStream: true });
  });
  const address = await listen(server);
  const project = await temporalProject("keys", { address, tls: false });
  startRunledger({ ...project, env: { ...project.env, ...KEY } }, "worker");
  await until(() => calls.length > 0);
  expect(calls[0]).toMatchObject({ authorization: "Bearer key-of-the-test" });
});
