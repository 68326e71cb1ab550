// @module-tag U-17
/** A caller can abort a call at any time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { RunledgerClient } from "@runledger/client";
import { expect, onTestFinished, test } from "vitest";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serverThat(answer: Answer): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const reason = new Error("the page was left");
const never = 3_600_000; // a call that is not aborted would outlive the test

test.each([
  ["Node's HTTP client", undefined],
  ["fetch", fetch],
])("a request without a response is aborted with the reason of its signal, through %s", async (_, send) => {
  const enough = new AbortController();
  let closed = 0;
  const url = await serverThat((request) => {
    request.socket.once("close", () => closed++);
    enough.abort(reason);
  });
  const client = new RunledgerClient({ url, ...(send && { fetch: send }) }).withSignal(enough.signal);
  await expect(client.getMe()).rejects.toBe(reason);
  await expect.poll(() => closed).toBe(1);
});

test("a call whose response has started is aborted, too", async () => {
  const enough = new AbortController();
  const url = await serverThat((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"name":');
    setImmediate(() => enough.abort(reason));
  });
  await expect(new RunledgerClient({ url, signal: enough.signal }).getMe()).rejects.toBe(reason);
});

test("a call that waits for a retry is aborted and not sent again", async () => {
  const enough = new AbortController();
  let asked = 0;
  const url = await serverThat((_, response) => {
    asked++;
    const problem = { code: "SERVER_BUSY", family: "retry", status: 503, title: "busy", type: "about:blank" };
    response.writeHead(503, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    response.once("close", () => setImmediate(() => enough.abort(reason)));
  });
  const client = new RunledgerClient({ url, retryDelayMs: never }).withSignal(enough.signal);
  await expect(client.getMe()).rejects.toBe(reason);
  expect(asked).toBe(1);
});

test("starts that share a request are aborted together, including unsent ones", async () => {
  const enough = new AbortController();
  const url = await serverThat(() => enough.abort(reason));
  const client = new RunledgerClient({ url }).withSignal(enough.signal);
  const starts = Array.from({ length: 500 }, () => client.startRun({ workflow: "orders" }));
  const ends = await Promise.allSettled(starts);
  expect(ends.every((end) => end.status === "rejected" && end.reason === reason)).toBe(true);
});

test("a client with an aborted signal sends nothing, and its streams end", async () => {
  let asked = 0;
  const url = await serverThat(() => asked++);
  const client = new RunledgerClient({ url }).withSignal(AbortSignal.abort(reason));
  await expect(client.getRun("run-1")).rejects.toBe(reason);
  await expect(client.getArtifact("run-1", "a")).rejects.toBe(reason);
  for await (const event of client.streamRun("run-1")) expect(event).toBeUndefined();
  expect(asked).toBe(0);
});

test("a stream ends with the signal of its client or its own", async () => {
  const enough = new AbortController();
  const url = await serverThat((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
  });
  const client = new RunledgerClient({ url }).withSignal(enough.signal);
  const own = new AbortController().signal;
  let seen = 0;
  for await (const _ of client.streamRun("run-1", { signal: own })) {
    seen++;
    enough.abort(reason);
  }
  expect(seen).toBe(1);
});
