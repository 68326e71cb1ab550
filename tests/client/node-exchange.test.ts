// @module-tag U-17
/** In Node the client uses node:http instead of fetch. Callers see no difference. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { networkInterfaces } from "node:os";
import { RunledgerClient } from "@runledger/client";
import { expect, onTestFinished, test } from "vitest";

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void, host = "127.0.0.1") {
  const server = createServer(answer);
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => stop(server));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, port, connections: () => connections };
}

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const json = { "content-type": "application/json" };
const me = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, json).end('{"name":"é"}');

test("successive calls share a connection, and responses are decoded as UTF-8", async () => {
  const { url, connections } = await listening(me);
  const client = new RunledgerClient({ url });
  for (let call = 0; call < 5; call++) expect(await client.getMe()).toEqual({ name: "é" });
  expect(connections()).toBe(1);
});

test("the URL of a server may have a path", async () => {
  const paths: string[] = [];
  const { url } = await listening((request, response) => {
    paths.push(request.url!);
    me(request, response);
  });
  await new RunledgerClient({ url: `${url}/ledger/` }).getMe();
  await new RunledgerClient({ url }).listRuns({ limit: 5 });
  expect(paths).toEqual(["/ledger/api/v1/me", "/api/v1/runs?limit=5"]);
});

test("a response that breaks off is retried", async () => {
  let asked = 0;
  const { url } = await listening((request, response) => {
    if (++asked > 1) return me(request, response);
    response.writeHead(200, { ...json, "content-length": "100" }).write('{"name":');
    setImmediate(() => response.destroy());
  });
  expect(await new RunledgerClient({ url, retryDelayMs: 1 }).getMe()).toEqual({ name: "é" });
  expect(asked).toBe(2);
});

test("an unreachable server is a problem that names the address and the cause", async () => {
  const client = new RunledgerClient({ url: "http://127.0.0.1:1", attempts: 1 });
  await expect(client.getMe()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    status: 0,
    message: expect.stringMatching(
      /^Cannot reach the server at http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED/,
    ) as string,
  });
  await expect(new RunledgerClient({ attempts: 1 }).getMe()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});

test("the URL of a server may have an IPv6 address", async (context) => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  context.skip(!addresses.some(({ address }) => address === "::1"), "this machine has no IPv6");
  const { port } = await listening(me, "::1");
  expect(await new RunledgerClient({ url: `http://[::1]:${port}` }).getMe()).toEqual({ name: "é" });
});

test("a redirect is followed", async () => {
  const there = await listening(me);
  const { url } = await listening(
    (request, response) => void response.writeHead(307, { location: there.url + request.url! }).end(),
  );
  expect(await new RunledgerClient({ url }).getMe()).toEqual({ name: "é" });
});

test("a custom fetch sends every request", async () => {
  const { url } = await listening(me);
  const through: string[] = [];
  const own: typeof fetch = (input, init) => {
    through.push(input as string);
    return fetch(input, init);
  };
  await new RunledgerClient({ url, fetch: own }).getMe();
  expect(through).toEqual([`${url}/api/v1/me`]);
});
