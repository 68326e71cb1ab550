import { connect, type Socket } from "node:net";
import { workflow } from "runledger";
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer, TOKEN, type TestServer } from "../../../../tests/support/test-server.js";
import { rawViewer, until } from "../../../../tests/support/raw-viewer.js";
import { createApiKey } from "./access/api-keys.js";

const flow = workflow("flow", { version: "1" }, (w) => w.waitForSignal("go"));

/** Below fetch: what no client would send. */
async function raw({ server }: TestServer, text: string, isEnd = true): Promise<string> {
  const { port } = new URL(server.url);
  const socket: Socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.on("data", (part: Buffer) => (answer += part.toString())).on("error", () => {});
  socket.write(text);
  if (isEnd) socket.end();
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

const head = (line: string, ...headers: string[]) =>
  [line, "host: 127.0.0.1", `authorization: Bearer ${TOKEN}`, ...headers, "", ""].join("\r\n");

describe("[U-10] limits", () => {
  test("a request that does not arrive in time is told so, and one that is not answered in time too", async () => {
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

  test("a download takes as long as its reader needs; one who takes nothing is cut off", async () => {
    const size = 24 * 1024 * 1024;
    const writes = workflow("writes", { version: "1" }, (w) => {
      w.step("write", ({ artifact }) => artifact.write("large", Buffer.alloc(size, "x")));
    });
    /** Pauses after each of the first megabytes. */
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
      await Promise.race([closed, until(() => taken > size)]); // more than that, because of the headers
      return taken;
    };
    expect(await download(2000, 100, 24)).toBeGreaterThan(size);
    expect(await download(500, 2500, 1)).toBeLessThan(size);
  });

  test("a body is as large as its route takes, whether it says so or comes in pieces", async () => {
    const world = await testServer([flow]);
    const large = await world.call("POST", "/session", { token: "x".repeat(100_000) });
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const chunk = `${(32_768).toString(16)}\r\n${"x".repeat(32_768)}\r\n`;
    const start = head("POST /api/v1/session HTTP/1.1", "content-type: application/json", "transfer-encoding: chunked");
    expect(await raw(world, start + chunk.repeat(4), false)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("a body that is nested without end is bad input, wherever it goes", async () => {
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

  test("each answer has an id, the caller's own where it is harmless", async () => {
    const { call } = await testServer([flow]);
    expect((await call("GET", "/me", undefined, { "x-request-id": "mine-1" })).headers.get("x-request-id")).toBe(
      "mine-1",
    );
    const other = (await call("GET", "/me", undefined, { "x-request-id": "a b" })).headers.get("x-request-id");
    expect(other).toMatch(/^[\da-f-]{36}$/);
  });

  test("what was begun is answered when the server stops", async () => {
    const { call, server, ledger } = await testServer([flow]);
    const { index } = ledger.store;
    const { listRuns } = index;
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    Object.assign(index, {
      listRuns: async (...args: Parameters<typeof listRuns>) => {
        begun();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return listRuns.apply(index, args);
      },
    });
    const answer = call("GET", "/runs");
    await isBegun;
    const closed = server.close();
    expect((await answer).status).toBe(200);
    await closed;
  });
});

describe("[U-14] what an attacker tries", () => {
  test("a request in a request is none", async () => {
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
      const answer = await raw(world, head(`GET ${path} HTTP/1.1`, "connection: close"));
      expect([path, answer.slice(9, 12)]).toEqual([path, status]);
    }
  });

  test("a stream ends when what it was opened with is revoked", async () => {
    const world = await testServer([flow], { streams: { judgeMs: 50 } });
    const { ledger, server, call } = world;
    const wanted = { name: "spy", role: "viewer" as const, tenantId: "acme", ttlMs: null, createdBy: "test" };
    const { key, text } = await createApiKey(ledger.store.access, wanted);
    const streams = ["/stream"].map((path) =>
      fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${text}` } }),
    );
    const [stream] = await Promise.all(streams);
    expect(stream!.status).toBe(200);
    await call("DELETE", `/keys/${key.keyId}`);
    await expect(stream!.text()).resolves.toContain("event: snapshot");
  });

  test("[U-15] whatever is answered, a browser runs nothing that is not a file of this server", async () => {
    const { call, server } = await testServer([flow]);
    const enough = new AbortController();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answers = await Promise.all([
      fetch(`${server.url}/`),
      fetch(`${server.url}/api/docs`),
      call("GET", "/me"),
      call("GET", "/nothing"),
      call("GET", "/me", undefined, { authorization: "none" }),
      fetch(`${server.url}/api/v1/stream`, { headers, signal: enough.signal }),
    ]);
    for (const { headers: told, url } of answers) {
      const policy = told.get("content-security-policy") ?? "";
      expect([url, policy]).toEqual([url, expect.stringMatching(/^default-src 'none'; script-src 'self';/)]);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(told.get("x-content-type-options")).toBe("nosniff");
    }
    enough.abort();
  });

  test("a tenant that opens streams without end does not shut the others out", async () => {
    const { server, ledger } = await testServer([flow], { streams: { maxReaders: 4 } });
    const enough = new AbortController();
    const open = async (tenantId: string) => {
      const wanted = { name: "v", role: "viewer" as const, tenantId, ttlMs: null, createdBy: "test" };
      const { text } = await createApiKey(ledger.store.access, wanted);
      const headers = { authorization: `Bearer ${text}` };
      return (await fetch(`${server.url}/api/v1/stream`, { headers, signal: enough.signal })).status;
    };
    const statuses: number[] = [];
    for (const tenant of ["greedy", "greedy", "greedy", "other", "other", "third"]) statuses.push(await open(tenant));
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
    enough.abort();
  });

  test("a stream has no HEAD, which would never end", async () => {
    const { call } = await testServer([flow]);
    expect((await call("HEAD", "/stream")).status).toBe(405);
    expect((await call("HEAD", "/runs")).status).toBe(200);
  });
});
