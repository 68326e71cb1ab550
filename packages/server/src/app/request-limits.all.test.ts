// @module-tag U-10
import { connect, type Socket } from "node:net";
import { workflow } from "@runledger/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { rawViewer } from "@runledger/test-support/raw-viewer";
import { until } from "@runledger/test-support/until";
import { createApiKey } from "../auth/api-keys.js";

const flow = workflow("flow", { version: "1" }, (w) => w.waitForSignal("go"));

/** Sends bytes that `fetch` would not send. */
async function raw({ server }: TestServer, text: string, isEnd = true): Promise<string> {
  const { port } = new URL(server.url);
  const socket: Socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let response = "";
  socket.on("data", (part: Buffer) => (response += part.toString())).on("error", () => {});
  socket.write(text);
  if (isEnd) socket.end();
  await new Promise((resolve) => socket.once("close", resolve));
  return response;
}

const head = (line: string, ...headers: string[]) =>
  [line, "host: 127.0.0.1", `authorization: Bearer ${TOKEN}`, ...headers, "", ""].join("\r\n");

describe("limits", () => {
  test("a request that arrives too late, or whose handler is too slow, gets REQUEST_TIMEOUT", async () => {
    const world = await testServer([flow], { timeLimitMs: 300 });
    const slow = await raw(
      world,
      head("POST /api/v1/runs HTTP/1.1", "content-type: application/json", "content-length: 99"),
      false,
    );
    expect(slow).toMatch(/^HTTP\/1\.1 503 .*connection: close.*"code":"REQUEST_TIMEOUT"/is);
    expect(await raw(world, "GET /api/v1/me HTTP/1.1\r\nhost: 127", false)).toMatch(
      /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s,
    );
    const { index } = world.ledger.store;
    Object.assign(index, { listRuns: () => new Promise(() => {}) });
    const late = await world.call("GET", "/runs");
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await late.json()).toMatchObject({ code: "REQUEST_TIMEOUT" });
  });

  test("a slow download completes, and a stalled one is cut off", async () => {
    const size = 24 * 1024 * 1024;
    const writes = workflow("writes", { version: "1" }, (w) => {
      w.step("write", ({ artifact }) => artifact.write("large", Buffer.alloc(size, "x")));
    });
    /** Pauses `times` times, after each megabyte. */
    const download = async (timeLimitMs: number, pauseMs: number, times: number): Promise<number> => {
      const { client, ledger, server } = await testServer([writes], { timeLimitMs });
      await ledger.worker({ workflows: [writes] });
      const run = await ledger.start(writes);
      await run.result();
      const [{ artifactId } = { artifactId: "" }] = (await client.listArtifacts(run.id)).items;
      const { socket } = await rawViewer(server.url, `/runs/${run.id}/artifacts/${artifactId}`);
      let [taken, pauses] = [0, 0];
      socket.on("data", ({ length }) => {
        taken += length;
        if (taken <= pauses * 1024 * 1024 || pauses === times) return;
        pauses++;
        socket.pause();
        setTimeout(() => socket.resume(), pauseMs);
      });
      const closed = new Promise<void>((resolve) => socket.once("close", resolve));
      await Promise.race([closed, until(() => taken > size)]); // headers count too
      return taken;
    };
    expect(await download(5000, 250, 24)).toBeGreaterThan(size);
    expect(await download(500, 2500, 1)).toBeLessThan(size);
  });

  test("a body that exceeds the limit of its route is refused, with or without a content length", async () => {
    const world = await testServer([flow]);
    const large = await world.call("POST", "/session", { token: "x".repeat(100_000) });
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const chunk = `${(32_768).toString(16)}\r\n${"x".repeat(32_768)}\r\n`;
    const start = head("POST /api/v1/session HTTP/1.1", "content-type: application/json", "transfer-encoding: chunked");
    expect(await raw(world, start + chunk.repeat(4), false)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("a deeply nested body is refused by every route", async () => {
    const { call, ledger } = await testServer([flow]);
    const { id } = await ledger.start(flow);
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    for (const [method, path, body] of [
      ["POST", "/runs", `{"workflow":"flow","input":${deep}}`],
      ["POST", `/runs/${id}/signals/go`, `{"payload":${deep}}`],
      ["POST", `/runs/${id}/fork`, `{"from":"go","input":${deep}}`],
      ["PUT", "/schedules/deep", `{"workflow":"flow","every":"1h","input":${deep}}`],
      ["PUT", "/workflows/deep/1", `{"steps":${deep}}`],
      ["POST", "/keys", deep],
    ] as const) {
      const response = await call(method, path, body);
      expect([path, response.status]).toEqual([path, 400]);
      await response.text();
    }
  });

  test("each response has a request id, which is the caller's if it is safe to log", async () => {
    const { call } = await testServer([flow]);
    expect((await call("GET", "/me", undefined, { "x-request-id": "mine-1" })).headers.get("x-request-id")).toBe(
      "mine-1",
    );
    const other = (await call("GET", "/me", undefined, { "x-request-id": "a b" })).headers.get("x-request-id");
    expect(other).toMatch(/^[\da-f-]{36}$/);
  });

  test("open requests finish when the server stops", async () => {
    const { call, server, ledger } = await testServer([flow]);
    const { index } = ledger.store;
    const { listRuns } = index;
    let started = (): void => {};
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    Object.assign(index, {
      listRuns: async (...args: Parameters<typeof listRuns>) => {
        started();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return listRuns.apply(index, args);
      },
    });
    const response = call("GET", "/runs");
    await isStarted;
    const closed = server.close();
    expect((await response).status).toBe(200);
    await closed;
  });
});

describe("attacks", { tags: ["U-14"] }, () => {
  test("a smuggled request and an unusual path are refused", async () => {
    const world = await testServer([flow]);
    const both = ["content-type: application/json", "content-length: 5", "transfer-encoding: chunked"];
    expect(
      await raw(world, `${head("POST /api/v1/runs HTTP/1.1", ...both)}0\r\n\r\nGET /api/v1/keys HTTP/1.1\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 400 /);
    for (const [path, status] of [
      ["http://evil.example/api/v1/me", "400"],
      ["//api/v1/me", "404"],
      ["/api/v1/../v1/me", "404"],
      ["/api%2fv1/me", "404"],
      ["/API/v1/me", "404"],
    ] as const) {
      const response = await raw(world, head(`GET ${path} HTTP/1.1`, "connection: close"));
      expect([path, response.slice(9, 12)]).toEqual([path, status]);
    }
  });

  test("a stream closes when its key is revoked", async () => {
    const world = await testServer([flow], { streams: { recheckMs: 50 } });
    const { ledger, server, call } = world;
    const params = { name: "spy", role: "viewer" as const, tenantId: "acme", ttlMs: null, createdBy: "test" };
    const { key, text } = await createApiKey(ledger.store.access, params);
    const streams = ["/stream"].map((path) =>
      fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${text}` } }),
    );
    const [stream] = await Promise.all(streams);
    expect(stream!.status).toBe(200);
    await call("DELETE", `/keys/${key.keyId}`);
    await expect(stream!.text()).resolves.toContain("event: snapshot");
  });

  test(
    "streams of a key that this or another server has revoked close at once",
    { tags: ["R-26"], timeout: 20_000 },
    async () => {
      const world = await testServer([flow]);
      const other = await testServer([flow], { ledger: world.ledger });
      const params = { name: "spy", role: "viewer" as const, tenantId: "acme", ttlMs: null, createdBy: "test" };
      const { key, text } = await createApiKey(world.ledger.store.access, params);
      const headers = { authorization: `Bearer ${text}` };
      const streams = await Promise.all(
        [world, other].map(({ server }) => fetch(`${server.url}/api/v1/stream`, { headers })),
      );
      await world.call("DELETE", `/keys/${key.keyId}`);
      for (const stream of streams) await expect(stream.text()).resolves.toContain("event: snapshot");
    },
  );

  test("every response forbids scripts that are not files of this server", { tags: ["U-15"] }, async () => {
    const { call, server } = await testServer([flow]);
    const enough = new AbortController();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const responses = await Promise.all([
      fetch(`${server.url}/`),
      fetch(`${server.url}/api/docs`),
      call("GET", "/me"),
      call("GET", "/nothing"),
      call("GET", "/me", undefined, { authorization: "none" }),
      fetch(`${server.url}/api/v1/stream`, { headers, signal: enough.signal }),
    ]);
    for (const { headers: sent, url } of responses) {
      const policy = sent.get("content-security-policy") ?? "";
      expect([url, policy]).toEqual([url, expect.stringMatching(/^default-src 'none'; script-src 'self';/)]);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(sent.get("x-content-type-options")).toBe("nosniff");
    }
    enough.abort();
  });

  test("a tenant that opens many streams does not lock out the others", async () => {
    const { server, ledger } = await testServer([flow], { streams: { maxStreams: 4 } });
    const enough = new AbortController();
    const open = async (tenantId: string) => {
      const params = { name: "v", role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
      const { text } = await createApiKey(ledger.store.access, params);
      const headers = { authorization: `Bearer ${text}` };
      return (await fetch(`${server.url}/api/v1/stream`, { headers, signal: enough.signal })).status;
    };
    const statuses: number[] = [];
    for (const tenant of ["greedy", "greedy", "greedy", "other", "other", "third"]) statuses.push(await open(tenant));
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
    enough.abort();
  });

  test("a stream has no HEAD, which would never finish", async () => {
    const { call } = await testServer([flow]);
    expect((await call("HEAD", "/stream")).status).toBe(405);
    expect((await call("HEAD", "/runs")).status).toBe(200);
  });
});
