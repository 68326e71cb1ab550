// @module-tag U-17
import { createServer, type IncomingMessage } from "node:http";
import { RunledgerClient } from "@runledger/client";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";

interface Operation {
  readonly operationId: string;
  readonly requestBody?: unknown;
}
const { paths } = readJson(inRepository("docs/reference/openapi.json")) as {
  paths: Record<string, Record<string, Operation>>;
};

/** A server with scripted responses that records its requests. */
async function answering(answer: (request: IncomingMessage, count: number) => [number, object?, string?]) {
  const asked: { readonly method: string; readonly path: string; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      asked.push({ method: request.method!, path: request.url!, body });
      const [status, headers = {}, text = "{}"] = answer(request, asked.length);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, asked };
}

test("every operation of the OpenAPI document has a method that sends the described request", async () => {
  const { url, asked } = await answering(({ url: path }) =>
    path!.includes("stream") ? [200, {}, "event: ended\ndata: {}\n\n"] : [200],
  );
  const client = new RunledgerClient({ url, token: "x" }) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      if (typeof client[operationId] !== "function") missing.push(operationId);
      else {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
          name === "action" ? "cancel" : `${name}|é/x`,
        );
        const enough = new AbortController();
        const isStream = operationId === "streamRuns";
        const more = requestBody === undefined ? (isStream ? [{}, { signal: enough.signal }] : []) : [{ starts: [] }];
        const result = client[operationId](...named, ...more);
        if (typeof (result as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function") {
          const first = (result as AsyncGenerator).next();
          if (isStream) await expect.poll(() => asked.some(({ path: at }) => at === "/api/v1/stream")).toBe(true);
          enough.abort();
          await first;
        } else await result;
        const template = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/?]+")}(\\?|$)`);
        const last = asked.at(-1)!;
        if (last.method !== method.toUpperCase() || !template.test(last.path))
          wrong.push(`${operationId}: ${last.method} ${last.path}`);
      }
    }
  expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
});

const busy = JSON.stringify({
  type: "/",
  title: "t",
  status: 503,
  detail: "later",
  code: "SERVER_BUSY",
  family: "retry",
  requestId: "1",
});
const problem = { "content-type": "application/problem+json", "retry-after": "0" };

test("only safe requests are retried, with the same id", async () => {
  const { url, asked } = await answering((_, count) => (count % 2 === 1 ? [503, problem, busy] : [200]));
  const client = new RunledgerClient({ url, retryDelayMs: 1 });
  await client.startRun({ workflow: "a" });
  await client.act("run", "cancel");
  const bodies = asked.map(({ body }) => body);
  expect(bodies[0]).toMatch(/"requestId":"req_/);
  expect([bodies[1], bodies[3]]).toEqual([bodies[0], bodies[2]]);
  await expect(client.createKey({ name: "x", role: "viewer" })).rejects.toMatchObject({ code: "SERVER_BUSY" });
  expect(asked).toHaveLength(5);
});

test("retries are limited, and a rejected request fails immediately", async () => {
  const { url, asked } = await answering(() => [503, problem, busy]);
  await expect(new RunledgerClient({ url, retryDelayMs: 1, attempts: 3 }).getMe()).rejects.toMatchObject({
    code: "SERVER_BUSY",
  });
  expect(asked).toHaveLength(3);
  const refusal = busy.replace("SERVER_BUSY", "FORBIDDEN").replace('"retry"', '"stop"').replace("503", "403");
  const other = await answering(() => [403, problem, refusal]);
  await expect(new RunledgerClient({ url: other.url }).getMe()).rejects.toMatchObject({
    code: "FORBIDDEN",
    status: 403,
  });
  expect(other.asked).toHaveLength(1);
});

test("a retry has the same id, also if the caller passed undefined", async () => {
  const refusal = JSON.stringify({
    code: "SERVER_BUSY",
    family: "retry",
    status: 503,
    detail: "",
    title: "",
    type: "",
  });
  const { url, asked } = await answering((_, count) =>
    count % 2 === 1 ? [503, { "content-type": "application/problem+json", "retry-after": "0" }, refusal] : [200],
  );
  const client = new RunledgerClient({ url, token: "x", retryDelayMs: 1 });
  const none = { requestId: undefined, signalId: undefined } as never as object;
  await client.startRun({ workflow: "w", ...none });
  await client.act("run", "cancel", none);
  await client.forkRun("run", { from: "a", ...none });
  await client.actOnRuns({ action: "cancel", runIds: ["run"], ...none } as never);
  const ids = asked
    .map(({ body }) => JSON.parse(body) as Record<string, string>)
    .map(({ requestId, signalId }) => requestId ?? signalId);
  expect(ids).toEqual([0, 0, 2, 2, 4, 4, 6, 6].map((place) => ids[place]));
  expect(new Set(ids).size).toBe(4);
  expect(ids).not.toContain(undefined);
});

test("a stream resumes after the last id each time its connection is lost", async () => {
  const seen: string[] = [];
  const { url } = await answering(({ headers }) => {
    const after = Number(headers["last-event-id"] ?? 0);
    seen.push(String(headers["last-event-id"] ?? "none"));
    const messages = [1, 2].map((step) => `id: ${after + step}\ndata: {"runSeq":${after + step}}\n\n`).join("");
    return [
      200,
      { "content-type": "text/event-stream" },
      after >= 4 ? `${messages}event: ended\ndata: {}\n\n` : messages,
    ];
  });
  const seqs: number[] = [];
  const states: string[] = [];
  const stream = new RunledgerClient({ url }).streamRun("run", { onConnection: (state) => states.push(state) });
  for await (const { runSeq } of stream) seqs.push(runSeq);
  expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
  expect(seen).toEqual(["none", "2", "4"]);
  expect(states).toEqual(["connected", "lost", "connected", "lost", "connected"]);
});

test("the client bundles for a browser without Node modules", async () => {
  const { outputFiles, errors } = await build({
    entryPoints: [inRepository("packages/client/src/index.ts")],
    alias: { "@runledger/contracts": inRepository("packages/contracts/src/index.ts") },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  expect(errors).toEqual([]);
  expect(outputFiles[0]!.text).not.toMatch(/from "node:|require\(/);
});
