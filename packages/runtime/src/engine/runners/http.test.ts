// @module-tag E-04
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, EnvSecrets, secret, workflow, type Ledger } from "../../index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import type { Schema } from "../../workflow/schema.js";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly at: number;
}
type Handler = (request: Seen, response: ServerResponse, nth: number) => void;

let ledger: Ledger;
let server: Server;
let seen: Seen[];
let handle: Handler;

beforeEach(async () => {
  ledger = await connect("memory:");
  seen = [];
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await ledger.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { method = "", url = "", headers } = request;
  seen.push({ method, url, headers, body: Buffer.concat(pieces).toString(), at: Date.now() });
  handle(seen.at(-1)!, response, seen.length);
}

const at = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** One request with three attempts. */
function asking(request: object, more: object = {}) {
  const options = {
    retry: { attempts: 3, delay: "10ms" as const },
    request: () => request as { url: string },
    ...more,
  };
  return workflow("asking", {}, (w) => w.http("ask", options));
}

test("http: the request carries the step's idempotency key, the same for every attempt", async () => {
  handle = (_, response, nth) => json(response, nth === 1 ? 503 : 201, { id: 7 }, { "set-cookie": "session=1" });
  const request = { url: at("/charges?x=1"), method: "post", headers: { "X-Own": "yes" }, body: { amount: 3 } };
  const { data } = await runWorkflow(ledger, asking(request));
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", "/charges?x=1", '{"amount":3}'],
    ["POST", "/charges?x=1", '{"amount":3}'],
  ]);
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(seen[0]?.headers).toMatchObject({ "x-own": "yes", "content-type": "application/json" });
  const output = data("StepCompleted", "ask")["output"] as { headers: object };
  expect(output).toMatchObject({ status: 201, body: { id: 7 }, headers: { "content-type": "application/json" } });
  expect(output.headers).not.toHaveProperty("set-cookie");
});

test.each([
  [408, 3],
  [425, 3],
  [429, 3],
  [500, 3],
  [503, 3],
  [400, 1],
  [401, 1],
  [404, 1],
  [409, 1],
  [422, 1],
])("http: status %i leads to %i attempts", async (status, tries) => {
  handle = (_, response) => json(response, status, { why: "because" });
  const { data } = await runWorkflow(ledger, asking({ url: at("/") }));
  expect(seen.length).toBe(tries);
  const { error } = data("StepFailed", "ask");
  expect(error).toMatchObject({ code: `HTTP_${status}`, retryable: tries > 1 });
  expect((error as { message: string }).message).toContain("because");
});

test.each([
  ["seconds", (from: number) => ({ header: "2", earliest: from + 2000 })],
  ["a date", (from: number) => dated(from + 3000)],
])("http: Retry-After in %s delays the next attempt", async (_what, later) => {
  let told = { header: "", earliest: 0 };
  handle = (request, response, nth) => {
    if (nth === 1) told = later(request.at);
    json(response, nth === 1 ? 429 : 200, {}, { "retry-after": told.header });
  };
  const { data } = await runWorkflow(ledger, asking({ url: at("/") }));
  const { retryAt } = data("StepFailed", "ask") as { retryAt: string };
  // The policy alone would wait at most 10 ms. The worker knows the store's clock to within a few milliseconds.
  expect(Date.parse(retryAt)).toBeGreaterThanOrEqual(told.earliest - 100);
  expect(seen.length).toBe(2);
});

function dated(time: number): { header: string; earliest: number } {
  const header = new Date(time).toUTCString();
  return { header, earliest: Date.parse(header) };
}

test("http: a response over the limit is aborted and not retried", async () => {
  handle = (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = (): boolean => response.write("x".repeat(65_536));
    response.on("drain", more);
    while (more()); // endless
  };
  const { data } = await runWorkflow(ledger, asking({ url: at("/") }));
  expect(seen.length).toBe(1);
  expect(data("StepFailed", "ask")["error"]).toMatchObject({ code: "HTTP_BODY_TOO_LARGE", retryable: false });
});

test("http: a timeout aborts the request", async () => {
  let closed: () => void = () => {};
  const gone = new Promise<void>((resolve) => (closed = resolve));
  handle = (_, response) => void response.on("close", closed);
  const { data } = await runWorkflow(ledger, asking({ url: at("/") }, { timeout: "300ms", retry: { attempts: 1 } }));
  expect(data("StepFailed", "ask")["error"]).toMatchObject({ code: "TIMEOUT" });
  await gone;
});

test("http: the schema parses the body, and a body it rejects is not retried", async () => {
  const schema: Schema<unknown, { id: number }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => {
        const { id } = value as { id?: unknown };
        return typeof id === "number" ? { value: { id } } : { issues: [{ message: "must be a number", path: ["id"] }] };
      },
    },
  };
  handle = (_, response, nth) => json(response, 200, nth === 1 ? { id: 1, more: "x".repeat(300_000) } : { id: "1" });
  const good = await runWorkflow(ledger, asking({ url: at("/") }, { body: schema }));
  expect(good.data("StepCompleted", "ask")["output"]).toMatchObject({ body: { id: 1 } });
  const bad = await runWorkflow(ledger, asking({ url: at("/") }, { body: schema }));
  expect(bad.data("StepFailed", "ask")["error"]).toMatchObject({ code: "SCHEMA_MISMATCH", retryable: false });
  expect(seen.length).toBe(2);
});

test("http: a refused connection is retried, an invalid URL is not", async () => {
  const url = at("/");
  await new Promise((resolve) => server.close(resolve));
  const away = await runWorkflow(ledger, asking({ url }));
  expect(away.events.filter(({ eventType }) => eventType === "StepFailed").length).toBe(3);
  expect(away.data("StepFailed", "ask")["error"]).toMatchObject({ code: "HTTP_UNREACHABLE", retryable: true });
  for (const wrong of ["file:///etc/passwd", "data:text/plain,hello", "/relative", "http://user:secret@127.0.0.1/"]) {
    const { data } = await runWorkflow(ledger, asking({ url: wrong }));
    expect(data("StepFailed", "ask")["error"]).toMatchObject({ code: "HTTP_URL_INVALID", retryable: false });
  }
});

test("http: redirects are followed, but not to another scheme or host", { tags: ["R-26"] }, async () => {
  const elsewhere = createServer((request, response) => {
    json(response, 200, { authorization: request.headers.authorization ?? "none", method: request.method });
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  const routes: Record<string, [number, string]> = {
    "/here": [302, "/there"],
    "/other-host": [307, other],
    "/scheme": [302, "https://127.0.0.1/"],
    "/file": [301, "file:///etc/passwd"],
    "/round": [302, "/round"],
  };
  handle = ({ url, headers }, response) => {
    const [status, location] = routes[url] ?? [200, ""];
    if (status !== 200) return void response.writeHead(status, { location }).end();
    json(response, 200, { authorization: headers.authorization ?? "none" });
  };
  const secrets = new EnvSecrets({ RUNLEDGER_SECRET_TOKEN: "correct horse battery" });
  const ask = (path: string, more: object = {}) => {
    const headers = { Authorization: secret("token", { prefix: "Bearer " }) };
    return runWorkflow(ledger, asking({ url: at(path), headers, ...more }), { secrets });
  };
  const here = await ask("/here");
  expect(here.data("StepCompleted", "ask")["output"]).toMatchObject({
    body: { authorization: "Bearer [secret token]" },
  });
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill("Bearer correct horse battery"));
  const away = await ask("/other-host", { redirectHosts: [new URL(other).host] });
  expect(away.data("StepCompleted", "ask")["output"]).toMatchObject({ body: { authorization: "none" } });
  for (const path of ["/other-host", "/scheme", "/file", "/round"]) {
    const { data } = await ask(path);
    expect(data("StepFailed", "ask")["error"]).toMatchObject({ code: "HTTP_REDIRECT", retryable: false });
  }
  await new Promise((resolve) => elsewhere.close(resolve));
});

test(
  "http: a redirect with 307 or 308 keeps method and body, another one becomes a GET",
  { tags: ["R-12"] },
  async () => {
    handle = ({ url, method, body }, response) => {
      const status = Number(url.slice(1));
      if (status > 0) return void response.writeHead(status, { location: "/" }).end();
      json(response, 200, { method, body });
    };
    const send = async (status: number) => {
      const { data } = await runWorkflow(ledger, asking({ url: at(`/${status}`), method: "POST", body: { n: 1 } }));
      return (data("StepCompleted", "ask")["output"] as { body: unknown }).body;
    };
    const kept = { method: "POST", body: '{"n":1}' };
    expect([await send(307), await send(308)]).toEqual([kept, kept]);
    expect(await send(302)).toMatchObject({ method: "GET", body: "" });
  },
);
